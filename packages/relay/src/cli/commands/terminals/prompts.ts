import { nameKey, type PromptAnswer, type PromptInfo, RelayError, safeLine } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { asksPerson, isConversation, shownWhole } from '../../output/decision.ts';
import { print, printJson, styled, when } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption;
type AnswerOptions = Options & { digest?: string };

const withPrompt = (command: Command): Command =>
  withJson(withProject(command)).argument('<agent>', 'agent name');
const withDigest = (command: Command): Command =>
  withPrompt(command).option('--digest <digest>', 'only if it is the prompt with this digest');

export const command = new Command('prompts')
  .description('Review permission prompts of agents')
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List permission prompts that you can answer from here')
      .action(listPrompts),
    { isDefault: true },
  )
  .addCommand(
    withPrompt(new Command('show'))
      .description('Show the permission prompt of an agent, with its digest')
      .action(showPrompt),
  )
  .addCommand(
    withDigest(new Command('allow'))
      .description('Show what the agent asks for, and allow it once')
      .action((agent: string, options: AnswerOptions) => answer(agent, 'allow', options)),
  )
  .addCommand(
    withDigest(new Command('deny'))
      .description('Deny what the agent asks for')
      .action((agent: string, options: AnswerOptions) => answer(agent, 'deny', options)),
  );

async function listPrompts(options: Options): Promise<void> {
  const prompts = await asOwner(options, (relay) => relay.prompts.list());
  if (options.json) return printJson(prompts);
  if (prompts.length === 0)
    return print(
      'No permission prompts to answer from here.\nSee agents that ask in their own terminals with: agent-relay who',
    );
  for (const prompt of prompts) {
    const agent = safeLine(prompt.agent);
    print(`${styled('bold', agent)}  ${styled('dim', when(prompt.since))}`);
    print(shownWhole(prompt.text, '  '));
    print(styled('dim', `  ${nextStep(prompt)}`));
  }
}

async function showPrompt(agent: string, options: Options): Promise<void> {
  const prompt = await asOwner(options, (relay) => openPrompt(relay, agent));
  if (options.json) return printJson(prompt);
  print(`${styled('bold', safeLine(prompt.agent))}  ${styled('dim', when(prompt.since))}`);
  print(styled('dim', `digest ${prompt.digest}`));
  print(shownWhole(prompt.text));
}

async function answer(agent: string, wanted: PromptAnswer, options: AnswerOptions): Promise<void> {
  const { digest, json } = options;
  const isAsked = wanted === 'allow' && digest === undefined;
  if (isAsked && (json || !isConversation())) {
    throw new RelayError('InvalidRequest', 'Outside of a terminal, a prompt is allowed by its digest.', {
      next: `Read it: agent-relay prompts show ${agent}, then add --digest DIGEST.`,
    });
  }
  const isDone = await asOwner(options, async (relay) => {
    const prompt = await openPrompt(relay, agent, digest);
    // The daemon says where one can be allowed that is too long.
    const isYes = !isAsked || prompt.tooLong || (await asksPerson(prompt.text, 'Allow this, once?'));
    if (isYes) await relay.prompts.answer(prompt, wanted);
    return isYes;
  });
  if (json) return printJson({ agent, answer: wanted });
  if (!isDone) {
    process.exitCode = 1;
    return print('Not allowed. The prompt is still open.');
  }
  print(wanted === 'allow' ? `Allowed ${agent}.` : `Denied ${agent}.`);
}

async function openPrompt(relay: Relay, agent: string, digest?: string): Promise<PromptInfo> {
  const open = (await relay.prompts.list()).find((one) => nameKey(one.agent) === nameKey(agent));
  if (open && (digest === undefined || open.digest === digest)) return open;
  const which = open ? `that has the digest ${safeLine(digest ?? '')}` : 'that can be answered from here';
  throw new RelayError('PromptChanged', `${safeLine(agent)} has no open prompt ${which}.`);
}

function nextStep({ agent, digest, tooLong }: PromptInfo): string {
  if (tooLong) return `Look at it: agent-relay attach ${agent}`;
  const more = isConversation() ? '' : ` --digest ${digest}`;
  return `Allow it: agent-relay prompts allow ${agent}${more}`;
}
