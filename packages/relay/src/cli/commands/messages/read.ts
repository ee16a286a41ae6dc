import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withAgent,
  withJson,
  withProject,
} from '../../options.ts';
import { plural, print, printJson } from '../../output/terminal.ts';
import { asAgent } from '../../target/connect.ts';

export const command = withJson(withAgent(withProject(new Command('read'))))
  .description('Mark messages as read')
  .argument('<message...>', 'message ids')
  .action(async (ids: string[], options: ProjectOption & AgentOption & JsonOption) => {
    const changed = await asAgent(options, (relay) => relay.read(ids));
    if (options.json) return printJson({ changed });
    print(changed === 0 ? 'Already read.' : `Marked ${plural(changed, 'message')} as read.`);
  });
