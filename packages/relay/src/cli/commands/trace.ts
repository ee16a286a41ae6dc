import { type DeliveryTrace, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { asOwner } from '../connection.ts';
import { messageLines } from '../message-lines.ts';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../options.ts';
import { print, printJson, styled, table, when } from '../terminal.ts';

export const command = withJson(withProject(new Command('trace')))
  .description('Show what became of a message at each recipient, and why it waits if it does.')
  .argument('<id>', 'the id of the message')
  .action(async (id: string, options: ProjectOption & JsonOption) => {
    const trace = await asOwner(options, (relay) => relay.trace(id));
    if (options.json) return printJson(trace);
    print(messageLines(trace.message));
    print();
    if (trace.held) print(`${styled('yellow', 'held')}  ${safeLine(trace.held.reason)}`);
    else print(table(trace.deliveries.flatMap(timeline)));
  });

/** One row for each thing observed, and one for what is waited for. */
function timeline({ recipient, path, reason, transitions }: DeliveryTrace): string[][] {
  const rows = transitions.map(({ state, at }, step) => [
    step === 0 ? styled('bold', safeLine(recipient)) : '',
    state,
    when(at),
    step === transitions.length - 1 && path ? `by ${path}` : '',
  ]);
  return reason === undefined ? rows : [...rows, ['', styled('yellow', 'waits'), reason]];
}
