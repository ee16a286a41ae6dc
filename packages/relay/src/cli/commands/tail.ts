import { Command } from 'commander';
import { type JsonOption, type ProjectOption, wholeNumber, withJson, withProject } from '../options.ts';
import { followedLines } from '../output/message-lines.ts';
import { print, printJson } from '../output/terminal.ts';
import { untilInterrupted } from '../process/until-interrupted.ts';
import { asOwner } from '../target/connect.ts';

type Options = ProjectOption & JsonOption & { sinceSeq?: number };

export const command = withJson(withProject(new Command('tail')))
  .description('Follow every message of the project until Ctrl-C.')
  .option('--since-seq <number>', 'begin after this sequence number, 0 for all', wholeNumber(0))
  .action((options: Options) =>
    untilInterrupted((signal) =>
      asOwner(
        options,
        async (relay) => {
          if (signal.aborted) return;
          signal.addEventListener('abort', () => void relay.close());
          const after = options.sinceSeq === undefined ? {} : { after: options.sinceSeq };
          for await (const message of relay.tail(after)) {
            if (options.json) printJson(message);
            else print(followedLines(message));
          }
        },
        { reconnect: true },
      ),
    ),
  );
