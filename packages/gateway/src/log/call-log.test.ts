import { expect, it } from 'vitest';
import { toJson } from '../json/raw-json.ts';
import { CallLog } from './call-log.ts';
import { Log } from './log.ts';

function logged(level: 'debug' | 'info') {
  const lines: string[] = [];
  return { lines, calls: new CallLog(new Log(level, (line) => lines.push(line))) };
}

it('logs each step of a call under one id, without arguments', () => {
  const { lines, calls } = logged('debug');
  const params = new Map([
    ['name', toJson('read_file')],
    ['arguments', toJson({ path: 'secret.txt' })],
  ]);
  const trace = calls.received(toJson(7), 'tools/call', params);
  trace?.sent('files', 'read');
  trace?.answered(540);
  // The first end is the end.
  trace?.failed('too late');
  expect(lines).toEqual([
    'call 1: tools/call read_file (client request 7)',
    'call 1: sent to files as read',
    expect.stringMatching(/^call 1: answered in \d+ ms, 540 bytes$/),
  ]);
  calls.received(toJson(7), 'tools/list', new Map());
  expect(lines.at(-1)).toBe('call 2: tools/list (client request 7)');
});

it('shortens a long id from a client', () => {
  const { lines, calls } = logged('debug');
  calls.received(toJson('x'.repeat(1000)), 'ping', new Map());
  expect(lines[0]?.length).toBeLessThan(120);
});

it('does nothing above the debug level', () => {
  const { lines, calls } = logged('info');
  expect(calls.received(toJson(1), 'ping', new Map())).toBeUndefined();
  expect(lines).toEqual([]);
});
