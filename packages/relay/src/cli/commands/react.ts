import { safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withAgent,
  withJson,
  withProject,
} from '../options.ts';
import { print, printJson } from '../output/terminal.ts';
import { asAgent } from '../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption & { remove?: boolean };

export const command = withJson(withAgent(withProject(new Command('react'))))
  .description('Put an emoji on a message.')
  .argument('<message>', 'its id')
  .argument('<emoji>', 'an emoji, or its name such as :eyes:')
  .option('--remove', 'take it away again')
  .action(async (message: string, emoji: string, options: Options) => {
    const reactions = await asAgent(options, (relay) =>
      options.remove ? relay.unreact(message, emoji) : relay.react(message, emoji),
    );
    if (options.json) return printJson(reactions);
    if (reactions.length === 0) return print('The message has no reactions now.');
    for (const { emoji: shown, agents } of reactions)
      print(`${safeLine(shown)} ${safeLine(agents.join(', '))}`);
  });
