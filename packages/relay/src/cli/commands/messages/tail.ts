import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, wholeNumber, withJson, withProject } from '../../options.ts';
import { followedLines } from '../../output/message-lines.ts';
import { type StateEvent, StateLines } from '../../output/state-lines.ts';
import { print, printAside, printJson, styled } from '../../output/terminal.ts';
import { untilInterrupted } from '../../process/until-interrupted.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption & { sinceSeq?: number; states?: boolean };

export const command = withJson(withProject(new Command('tail')))
  .description('Follow all messages of a project, and their states, until Ctrl-C')
  .option('--since-seq <number>', 'start after this sequence number, 0 for all messages', wholeNumber(0))
  .option('--states', 'with --json: show states of messages and agents too')
  .option('--no-states', 'show messages only')
  .action((options: Options) =>
    untilInterrupted((signal) =>
      asOwner(
        options,
        async (relay) => {
          if (signal.aborted) return;
          signal.addEventListener('abort', () => void relay.close());
          if (process.stderr.isTTY && !options.json)
            printAside(styled('dim', followed(relay.project, options.sinceSeq), process.stderr));
          if (options.states ?? !options.json) await showStates(relay, options);
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

/** Shows states as they change. States of a message come after the message. */
async function showStates(relay: Relay, { json }: Options): Promise<void> {
  const lines = new StateLines();
  const show = (event: StateEvent) => {
    if (json) return printJson(event);
    const line = lines.lineFor(event);
    if (line !== undefined) print(line);
  };
  for (const state of [
    'accepted',
    'injected',
    'turn_started',
    'refused',
    'uncertain',
    'read',
    'acked',
  ] as const)
    relay.on(`delivery.${state}`, show);
  for (const state of ['started', 'ready', 'waiting', 'resumed', 'exited'] as const)
    relay.on(`session.${state}`, show);
  relay.on('path.changed', show);
  await relay.watch();
}

/** Shown because an empty terminal would not say whether anything is happening. */
const followed = (project: string, after: number | undefined): string =>
  `Following ${after === undefined ? 'new messages' : after === 0 ? 'all messages' : `messages after ${after}`} in project ${project}. Ctrl-C to stop.`;
