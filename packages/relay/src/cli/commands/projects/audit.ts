import { safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, wholeNumber, withJson, withProject } from '../../options.ts';
import { tableOrBlocks } from '../../output/blocks.ts';
import { print, printJson, when } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

export const command = withJson(withProject(new Command('audit')))
  .description('Show who changed what, and who invoked which action, newest first')
  .option('--limit <count>', 'maximum number of entries', wholeNumber(1), 100)
  .action(async (options: ProjectOption & JsonOption & { limit: number }) => {
    const { entries } = await asOwner(options, (relay) => relay.request('AUDIT', { limit: options.limit }));
    if (options.json) return printJson(entries);
    if (entries.length === 0) return print('Nothing is recorded yet.');
    const rows = entries.map(({ at, actor, action, subject, detail }) => [
      action,
      safeLine(actor),
      when(at),
      safeLine(subject),
      detail === undefined ? '' : safeLine(JSON.stringify(detail)),
    ]);
    print(tableOrBlocks(['ACTION', 'WHO', 'WHEN', 'SUBJECT', 'DETAIL'], rows));
  });
