import { safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withJson,
  withProject,
  withViewer,
} from '../../options.ts';
import { print, printJson, styled, table, when } from '../../output/terminal.ts';
import { asViewer } from '../../target/connect.ts';

export const command = withJson(withViewer(withProject(new Command('readers'))))
  .description('Show who has read a message')
  .argument('<message>', 'message id')
  .action(async (message: string, options: ProjectOption & AgentOption & JsonOption) => {
    const result = await asViewer(options, (relay) => relay.readers(message));
    if (options.json) return printJson(result);
    const rows = [
      ...result.readers.map(({ agent, at }) => [safeLine(agent), styled('green', 'read'), when(at)]),
      ...result.unread.map((agent) => [safeLine(agent), styled('yellow', 'unread')]),
    ];
    print(rows.length === 0 ? 'The message had no recipients.' : table(rows));
  });
