import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Message, reason } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Logger, openTerminalLog } from './log/log.ts';
import { QuestionNotifier } from './question-hook.ts';
import { loadSettings } from './settings/settings.ts';

let directory: string;
let log: Logger;
let logged: string[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-hooks-'));
  logged = [];
  const settings = await loadSettings({ RELAY_DATA_DIR: directory, RELAY_CONFIG: directory });
  log = openTerminalLog(settings, (line) => logged.push(line));
});
afterEach(() => rm(directory, { recursive: true }));

const question = (id: string): Message => ({
  seq: 1,
  id,
  from: 'Alice',
  to: 'Ann',
  content: 'Shall I?',
  kind: 'question',
  importance: 'normal',
  ts: 0,
});
const sh = (script: string) => ({ command: ['sh', '-c', `cd ${directory}; ${script}`] });
const lines = (): string[] => {
  const file = join(directory, 'lines');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
};
const until = (condition: () => void) => vi.waitFor(condition, { timeout: 20_000, interval: 20 });

describe('the hook for questions', () => {
  it('runs for every question, a few at a time', async () => {
    const hook = sh('echo start >> lines; until [ -e go ]; do sleep 0.05; done; echo end >> lines');
    const calls = new QuestionNotifier(hook, log);
    for (let i = 0; i < 7; i++)
      calls.call({ event: 'question', project: 'demo', message: question(`msg_${i}`) });
    await until(() => expect(lines()).toHaveLength(4));
    await writeFile(join(directory, 'go'), '');
    await until(() => expect(lines().filter((line) => line === 'end')).toHaveLength(7));
    let running = 0;
    for (const line of lines()) {
      running += line === 'start' ? 1 : -1;
      expect(running).toBeLessThanOrEqual(4);
    }
    expect(logged).toEqual([]);
  });

  it('does not run for more than can be queued, which is logged once', async () => {
    const calls = new QuestionNotifier(sh('echo x >> lines'), log);
    for (let i = 0; i < 107; i++)
      calls.call({ event: 'question', project: 'demo', message: question(`msg_${i}`) });
    await until(() => expect(logged).toHaveLength(1));
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ questions: 3 });
    expect(lines()).toHaveLength(104);
  });

  it('runs for dialogs and limits, not for what resolves by itself', async () => {
    const calls = new QuestionNotifier(sh('text=$(cat); echo "$text" >> lines'), log);
    for (const code of ['busy', 'approval_dialog', 'unknown_screen', 'usage_limit'] as const)
      calls.call({ event: 'waiting', project: 'demo', agent: 'Alice', reason: reason(code) });
    await until(() => expect(lines()).toHaveLength(2));
    const told = lines().map((line) => JSON.parse(line));
    expect(told).toContainEqual({
      event: 'waiting',
      project: 'demo',
      agent: 'Alice',
      reason: { code: 'approval_dialog', text: 'approval dialog open' },
    });
    expect(told.map(({ reason: { code } }) => code).sort()).toEqual(['approval_dialog', 'usage_limit']);
  });

  it('is ended at its time limit, and killed if it ignores that', async () => {
    const calls = new QuestionNotifier(sh('trap "" TERM; while :; do sleep 0.05; done'), log, 200);
    calls.call({ event: 'question', project: 'demo', message: question('msg_1') });
    await until(() => expect(logged).toHaveLength(1));
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      messageId: 'msg_1',
      err: { message: 'sh ended with SIGKILL' },
    });
  });
});
