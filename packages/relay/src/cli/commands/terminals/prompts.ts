import { type PromptAnswer, RelayError, safeLine, safeText } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { print, printJson, styled, when } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption;

/** Enough of a digest to tell one prompt from another. */
const ID_LENGTH = 12;

const withPrompt = (command: Command): Command =>
  withJson(withProject(command))
    .argument('<agent>', 'agent name')
    .argument('<id>', 'prompt id, from: agent-relay prompts list');

export const command = new Command('prompts')
  .description('Review permission prompts of agents')
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List permission prompts that you can answer from here')
      .action(listPrompts),
  )
  .addCommand(
    withPrompt(new Command('allow'))
      .description('Allow what the agent asks for, once')
      .action((agent: string, id: string, options: Options) => answer(agent, id, 'allow', options)),
  )
  .addCommand(
    withPrompt(new Command('deny'))
      .description('Deny what the agent asks for')
      .action((agent: string, id: string, options: Options) => answer(agent, id, 'deny', options)),
  );

async function listPrompts(options: Options): Promise<void> {
  const prompts = await asOwner(options, (relay) => relay.prompts.list());
  if (options.json) return printJson(prompts);
  if (prompts.length === 0)
    return print(
      'No permission prompts to answer from here.\nSee agents that ask in their own terminals with: agent-relay who',
    );
  for (const { agent, digest, text, since } of prompts) {
    const id = styled('dim', `${when(since)} · ${digest.slice(0, ID_LENGTH)}`);
    print(`${styled('bold', safeLine(agent))}  ${id}\n${safeText(text).replace(/^/gm, '  ')}`);
  }
}

async function answer(agent: string, id: string, wanted: PromptAnswer, options: Options): Promise<void> {
  await asOwner(options, async (relay) => {
    const isMeant = (digest: string) => id.length >= ID_LENGTH && digest.startsWith(id);
    const prompt = (await relay.prompts.list()).find((one) => one.agent === agent && isMeant(one.digest));
    if (!prompt) throw new RelayError('PromptChanged', `${agent} has no open prompt ${id}.`);
    await relay.prompts.answer(prompt, wanted);
  });
  if (options.json) return printJson({ agent, answer: wanted });
  print(wanted === 'allow' ? `Allowed ${agent}.` : `Denied ${agent}.`);
}
