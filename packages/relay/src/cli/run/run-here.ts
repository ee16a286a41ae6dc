import { constants } from 'node:os';
import type { RunOptions } from '@agent-relay/harness-driver';
import { errorLines, isRelayError, RelayError } from '@agent-relay/protocol';
import { VERSION } from '../../version.ts';
import { tellStray } from '../output/tell-stray.ts';
import { PROGRAM } from '../program-file.ts';

/** Runs a program as an agent in this terminal, and ends as it ends. */
export async function runHere(
  options: Omit<RunOptions, 'server' | 'client' | 'onConnected'>,
): Promise<never> {
  const { runInTerminal } = await import('@agent-relay/harness-driver');
  const end = await runInTerminal({
    ...options,
    server: [process.execPath, PROGRAM, 'mcp', 'serve'],
    client: { name: 'agent-relay', version: VERSION },
    onConnected: tellStray,
  });
  if (end.released !== undefined) tellReleased(end.released);
  if (end.failure !== undefined) tellFailure(end.failure);
  process.exit(end.signal === undefined ? end.code : 128 + constants.signals[end.signal]);
}

/** A program that draws below the cursor, as CLIs do around their composer, leaves that behind. */
function tellReleased(name: string): void {
  process.stdout.write('\r\n\x1b[J');
  process.stderr.write(`note: ${name} was released.\n`);
}

function tellFailure(failure: unknown): void {
  const error = isRelayError(failure) ? failure : new RelayError('Internal', String(failure));
  process.stderr.write(`note: messages were no longer delivered to this terminal.\n${errorLines(error)}`);
}
