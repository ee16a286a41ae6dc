import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HOOK_MS } from '../../packages/harness-driver/src/hooks/hook-deadline.ts';
import { connect, type Relay } from '../../packages/sdk/src/node/index.ts';
import { maximum, median, milliseconds } from '../bench/statistics.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { eventually } from '../kit/eventually.ts';
import type { Fault } from './fault.ts';
import { type Trouble, troublesOf } from './kit/unanswering.ts';

/** What a CLI waits for. Claude Code's hooks wait in the background. */
const HOOKS = [
  ['codex', 'UserPromptSubmit'],
  ['codex', 'PostToolUse'],
  ['codex', 'Stop'],
  ['gemini', 'BeforeAgent'],
  ['gemini', 'AfterTool'],
  ['gemini', 'AfterAgent'],
] as const;
const MOST_MS = 2000;
/** Of the median, once it is known that the daemon hangs. */
const MOST_AGAIN_MS = 200;
/** The same where others use the processors: half of what a hook waits that does not know. */
const MOST_AGAIN_BUSY_MS = HOOK_MS / 2;
/** A hook that asks nobody takes longer than this only on a busy machine. */
const IDLE_MS = 80;

/** A hang is remembered for a minute; on a busy machine the message comes at last then. */
const REMEMBERED_MS = 90_000;

/** Hooks of CLIs whose person waits at the prompt, while the daemon does not do its part. */
export const hungHooks: Fault = {
  name: 'hung-hooks',
  what: 'a daemon that is stopped, silent, slow or cut off: each hook that a CLI waits for answers in time, and loses nothing',
  async run({ short, say }) {
    await using daemon = await startDaemon();
    await using sender = await connect({ name: 'Sender', env: daemon.env, cwd: daemon.projectDirectory });
    await using troubles = await troublesOf(daemon);
    for (const trouble of troubles.all) {
      const first: number[] = [];
      const again: number[] = [];
      const idle: number[] = [];
      for (let round = 0; round < (short ? 1 : 5); round++) {
        for (const [cli, event] of short ? HOOKS.slice(2, 5) : HOOKS) {
          const times = await hookIn(trouble, { daemon, sender, cli, event, round });
          first.push(times.first);
          again.push(times.again);
          idle.push(times.idle);
        }
      }
      say(
        `${trouble.what}: p50 ${milliseconds(median(first))}, max ${milliseconds(maximum(first))}; ` +
          `the next hook p50 ${milliseconds(median(again))}, max ${milliseconds(maximum(again))}; ` +
          `one that asks nobody p50 ${milliseconds(median(idle))}`,
      );
      assert(maximum([...first, ...again]) < MOST_MS, 'a hook took too long');
      const most = median(idle) < IDLE_MS ? MOST_AGAIN_MS : MOST_AGAIN_BUSY_MS;
      assert(median(again) < most, 'the next hook waited again');
    }
  },
};

interface Case {
  daemon: TestDaemon;
  sender: Relay;
  cli: string;
  event: string;
  round: number;
}

/** Times two hooks of a session in trouble; when it is over, the message comes, once. */
async function hookIn(trouble: Trouble, { daemon, sender, cli, event, round }: Case) {
  const name = `${cli}-${event}-${trouble.what.replaceAll(' ', '-')}-${round}`;
  await (await connect({ name, paths: [], env: daemon.env, cwd: daemon.projectDirectory })).close();
  const { messageId } = await sender.send(name, 'one', { importance: 'urgent' });
  const hook = async (env: NodeJS.ProcessEnv = {}) => {
    const startedAt = performance.now();
    const ended = await daemon.cli(['hook', cli], {
      env: { RELAY_AGENT_NAME: name, ...env },
      input: JSON.stringify({ hook_event_name: event, session_id: name }),
    });
    return { ms: performance.now() - startedAt, ...ended };
  };
  const idle = await hook({ RELAY_RUN: '1' });
  trouble.begin?.();
  const [first, again] = [await hook(trouble.env), await hook(trouble.env)];
  trouble.end?.();
  for (const { code, stdout, stderr } of [first, again])
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
  const { deliveries } = await sender.trace(messageId);
  assert(['stored', 'uncertain'].includes(deliveries[0]?.state ?? ''), 'shown as delivered');
  const hooks = join(daemon.dataDirectory, 'hooks');
  await eventually(async () => (await hook()).stdout.includes(`[${messageId}]`), REMEMBERED_MS);
  assert.equal((await hook()).stdout, '', 'handed over twice');
  await rm(hooks, { recursive: true, force: true });
  return { first: first.ms, again: again.ms, idle: idle.ms };
}
