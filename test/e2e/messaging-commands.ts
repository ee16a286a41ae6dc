import { connect, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';
import { expect } from 'vitest';
import type { CliResult } from '../kit/cli.ts';
import type { TestDaemon } from '../kit/daemon.ts';

export const json = (result: CliResult) => {
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(result.stdout);
};

/** What a command prints when it works. */
export const output = (result: CliResult): string => {
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
};

/** The format of every error for people. */
export function expectFailure(result: CliResult, code: number, message: RegExp, next?: RegExp): void {
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(/^error: [^\n]+\n/);
  expect(result.stderr).toMatch(message);
  expect(result.stderr).toMatch(/\nnext: .+\n$/);
  if (next) expect(result.stderr).toMatch(next);
}

/** An SDK client of the daemon; without a name, its owner. */
export const client = (daemon: TestDaemon, options: NodeConnectOptions = {}): Promise<Relay> =>
  connect({
    socketPath: daemon.socketPath,
    project: daemon.project,
    env: daemon.env,
    reconnect: { minDelayMs: 5, maxDelayMs: 50 },
    ...options,
  });

/** Registers agents, so that they can be written to. */
export async function known(daemon: TestDaemon, ...names: string[]): Promise<void> {
  for (const name of names) await (await client(daemon, { name })).close();
}
