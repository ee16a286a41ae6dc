import { safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withAgent,
  withJson,
  withProject,
} from '../../options.ts';
import { print, printJson } from '../../output/terminal.ts';
import { asAgent } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption & { remove?: boolean };

export const command = withJson(withAgent(withProject(new Command('react'))))
  .description('React to a message with an emoji')
  .argument('<message>', 'message id')
  .argument('<emoji>', 'emoji, or a name such as :eyes:')
  .option('--remove', 'remove your reaction')
  .action(async (message: string, emoji: string, options: Options) => {
    const reactions = await asAgent(options, (relay) =>
      options.remove ? relay.unreact(message, emoji) : relay.react(message, emoji),
    );
    if (options.json) return printJson(reactions);
    if (reactions.length === 0) return print('The message has no reactions.');
    for (const { emoji: shown, agents } of reactions)
      print(`${safeLine(shown)} ${safeLine(agents.join(', '))}`);
  });
