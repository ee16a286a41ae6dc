import { expect, it } from 'vitest';
import type { ServerStatus } from '../front/tools/status.ts';
import { Log } from './log.ts';
import { ServerLog } from './server-log.ts';

const server = (name: string, more: Partial<ServerStatus> = {}): ServerStatus => ({
  name,
  url: 'ws://h',
  connected: true,
  health: 'healthy',
  tools: 2,
  tool_names: [],
  ...more,
});
const failed = { connected: false, health: 'failed', error: 'refused' } as const;

/** A log of servers that can be set; what is logged is taken from `lines`. */
function follow() {
  const lines: string[] = [];
  let servers: ServerStatus[] = [];
  const log = new ServerLog(() => servers, new Log('debug', (line, level) => lines.push(`${level} ${line}`)));
  return (...now: ServerStatus[]) => {
    servers = now;
    log.flush();
    return lines.splice(0);
  };
}

it('logs each state once, and again when it changes', () => {
  const logged = follow();
  expect(logged(server('a'), server('b', failed))).toEqual([
    'info a: healthy (2 tools)',
    'warn b: failed: refused',
  ]);
  expect(logged(server('a'), server('b', failed))).toEqual([]);
  expect(logged(server('a', { tools: 1 }), server('b'))).toEqual([
    'info a: healthy (1 tool)',
    'info b: healthy (2 tools)',
  ]);
});

it('logs each invalid tool once, with its reason', () => {
  const logged = follow();
  const flawed = (...names: string[]) =>
    server('a', {
      health: 'degraded',
      error: `${names.length} invalid`,
      invalid_tools: names.map((name) => ({ name, reason: 'No schema' })),
    });
  expect(logged(flawed('x'))).toEqual([
    'warn Invalid tool from a: x - No schema',
    'warn a: degraded (2 tools): 1 invalid',
  ]);
  expect(logged(flawed('x', 'y'))).toEqual([
    'warn Invalid tool from a: y - No schema',
    'warn a: degraded (2 tools): 2 invalid',
  ]);
  expect(logged(server('a'))).toEqual(['info a: healthy (2 tools)']);
  expect(logged(flawed('x'))).toHaveLength(2);
});

it('logs remembered invalid tools only after the server has connected', () => {
  const logged = follow();
  const invalid_tools = [{ name: 'x', reason: 'No schema' }];
  expect(logged(server('a', { ...failed, invalid_tools }))).toEqual(['warn a: failed: refused']);
  const flawed = server('a', { health: 'degraded', error: '1 invalid', invalid_tools });
  expect(logged(flawed)).toContain('warn Invalid tool from a: x - No schema');
  // The same one after a lost connection is no news either.
  logged(server('a', { ...failed, invalid_tools }));
  expect(logged(flawed)).toEqual(['warn a: degraded (2 tools): 1 invalid']);
});

it('logs a server again that was removed and added again', () => {
  const logged = follow();
  logged(server('a'));
  expect(logged()).toEqual([]);
  expect(logged(server('a'))).toEqual(['info a: healthy (2 tools)']);
});

it('logs routine changes at debug', () => {
  const logged = follow();
  expect(logged(server('a', { connected: false, health: 'connecting' }))).toEqual(['debug a: connecting']);
  expect(logged(server('a', { connected: false, health: 'unknown' }))).toEqual(['debug a: unknown']);
});
