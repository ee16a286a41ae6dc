import { Command } from 'commander';
import { type JsonOption, type ProjectOption, wholeNumber, withJson, withProject } from '../options.ts';
import { followedLines } from '../output/message-lines.ts';
import { print, printAside, printJson, styled } from '../output/terminal.ts';
import { untilInterrupted } from '../process/until-interrupted.ts';
import { asOwner } from '../target/connect.ts';

type Options = ProjectOption & JsonOption & { sinceSeq?: number };

export const command = withJson(withProject(new Command('tail')))
  .description('Follow all messages of a project until Ctrl-C')
  .option('--since-seq <number>', 'start after this sequence number, 0 for all messages', wholeNumber(0))
  .action((options: Options) =>
    untilInterrupted((signal) =>
      asOwner(
        options,
        async (relay) => {
          if (signal.aborted) return;
          signal.addEventListener('abort', () => void relay.close());
          if (process.stderr.isTTY && !options.json)
            printAside(styled('dim', followed(relay.project, options.sinceSeq), process.stderr));
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

/** Shown because an empty terminal would not say whether anything is happening. */
const followed = (project: string, after: number | undefined): string =>
  `Following ${after === undefined ? 'new messages' : after === 0 ? 'all messages' : `messages after ${after}`} in project ${project}. Ctrl-C to stop.`;
