import { type DeliveryTrace, type HoldTrace, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { contentLines, messageLinesWith } from '../../output/message-lines.ts';
import { print, printJson, styled, table, when, whenAfter } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

export const command = withJson(withProject(new Command('trace')))
  .description('Show delivery status per recipient, and what it is waiting for')
  .argument('<id>', 'message id')
  .action(async (id: string, options: ProjectOption & JsonOption) => {
    const trace = await asOwner(options, (relay) => relay.trace(id));
    if (options.json) return printJson(trace);
    const { message, deliveries, held } = trace;
    const isGone = held?.settled?.outcome === 'discarded';
    print(messageLinesWith(message, isGone ? styled('dim', '(discarded)') : contentLines(message)));
    print();
    if (held) print(table(holding(held)));
    if (!held || held.settled?.outcome === 'released') print(table(deliveries.flatMap(timeline)));
  });

/** The hold, and what a person decided. */
function holding({ reason, heldAt, settled }: HoldTrace): string[][] {
  const rows = [[styled('yellow', 'held'), when(heldAt), safeLine(reason)]];
  if (settled) rows.push([settled.outcome, when(settled.at), `by ${safeLine(settled.by)}`]);
  return rows;
}

/** One row per observed state, in a terminal with the time since the first, and one for what it is waiting for. */
function timeline({ recipient, state: now, path, reason, transitions }: DeliveryTrace): string[][] {
  const start = transitions[0]?.at ?? 0;
  const rows = transitions.map(({ state, at, path: by }, step) => [
    step === 0 ? styled('bold', safeLine(recipient)) : '',
    state,
    step === 0 ? when(at) : whenAfter(start, at),
    by ? `by ${by}` : '',
  ]);
  if (reason === undefined) return rows;
  const isUncertain = now === 'uncertain' && transitions.at(-1)?.state !== 'uncertain';
  const title = styled('yellow', isUncertain ? 'uncertain' : 'waits');
  return [...rows, ['', title, safeLine(reason.text), now === 'stored' && path ? `by ${path}` : '']];
}
