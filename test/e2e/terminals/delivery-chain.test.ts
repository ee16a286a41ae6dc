import type { ClaimingPath, ReasonInput } from '@agent-relay/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Deliverer } from '../../../packages/harness-driver/src/delivery/deliverer.ts';
import type { Gate } from '../../../packages/harness-driver/src/delivery/gate.ts';
import type { Ingress, Outcome } from '../../../packages/harness-driver/src/delivery/ingress.ts';
import { connect, type Relay } from '../../../packages/sdk/src/node/index.ts';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../../kit/daemon.ts';

let daemon: TestDaemon;
let sender: Relay;
beforeAll(async () => {
  daemon = await startDaemon({ settings: UNGOVERNED });
  sender = await connect({ name: 'Sender', env: daemon.env, cwd: daemon.projectDirectory });
});
afterAll(async () => {
  await sender.close();
  await daemon[Symbol.asyncDispose]();
});

/** A way into an agent that does what the test says. */
class ScriptedIngress implements Ingress {
  readonly path: ClaimingPath;
  readonly steadyMs = 0;
  readonly delivered: string[] = [];
  now: Gate = 'open';
  outcome: (text: string) => Outcome = () => 'injected';
  isTurning = false;
  onFound: (id: string) => void = () => undefined;

  constructor(path: ClaimingPath) {
    this.path = path;
  }

  gate(): Gate {
    return this.now;
  }

  async deliver({ text }: { text: string }): Promise<Outcome> {
    const outcome = this.outcome(text);
    if (outcome !== 'not begun') this.delivered.push(text.replace(/^[\s\S]*\| /, ''));
    return outcome;
  }

  async turnStarts(): Promise<boolean> {
    return this.isTurning;
  }
}

let number = 0;
let agent: { relay: Relay; name: string; deliverer: Deliverer } | undefined;
let hold: ReasonInput | undefined;
afterEach(async () => {
  await agent?.deliverer.end();
  await agent?.relay.close();
  hold = undefined;
});

/** An agent with a hook and a terminal, in this state. */
async function startAgent(first: { hook?: Gate; pty?: Gate } = {}) {
  const name = `Agent-${++number}x`;
  const options = { env: daemon.env, cwd: daemon.projectDirectory };
  const relay = await connect({ ...options, name, paths: ['hook', 'pty'], receiver: name });
  const [hook, pty] = [new ScriptedIngress('hook'), new ScriptedIngress('pty')];
  hook.now = first.hook ?? 'open';
  pty.now = first.pty ?? 'open';
  const failures: unknown[] = [];
  const deliverer = new Deliverer(relay, {
    ingresses: [hook, pty],
    hold: () => hold,
    onFailure: (error) => failures.push(error),
  });
  agent = { relay, name, deliverer };
  deliverer.look();
  const send = async (text: string, urgent = false) =>
    (await sender.send(name, text, urgent ? { importance: 'urgent' } : {})).messageId;
  const become = (ingress: ScriptedIngress, gate: Gate) => {
    ingress.now = gate;
    deliverer.look();
  };
  return { name, hook, pty, deliverer, failures, send, become };
}

const traced = async (id: string) => (await sender.trace(id)).deliveries[0];
const isTraced = (id: string, wanted: object) => expect.poll(() => traced(id)).toMatchObject(wanted);

const DOWN: Gate = { wait: { code: 'no_hook' }, isDown: true };
const BUSY: Gate = { wait: { code: 'busy' }, isOpenToUrgent: true };

describe('a message', () => {
  it('is delivered by the best path', async () => {
    const { hook, pty, send } = await startAgent();
    hook.isTurning = true;
    const id = await send('one');
    await isTraced(id, { state: 'turn_started', path: 'hook' });
    expect([hook.delivered, pty.delivered]).toEqual([['one'], []]);
  });

  it('is delivered by the next path while the best one does not work', async () => {
    const { hook, pty, send, become } = await startAgent({ hook: DOWN });
    await isTraced(await send('one'), { state: 'injected', path: 'pty' });
    become(hook, 'open');
    await isTraced(await send('two'), { state: 'injected', path: 'hook' });
    expect([hook.delivered, pty.delivered]).toEqual([['two'], ['one']]);
  });

  it('is delivered once by the next path if the best one certainly has not begun', async () => {
    const { hook, pty, send } = await startAgent();
    hook.outcome = () => {
      hook.now = DOWN;
      return 'not begun';
    };
    const id = await send('one');
    await isTraced(id, { state: 'injected', path: 'pty' });
    expect([hook.delivered, pty.delivered]).toEqual([[], ['one']]);
  });

  it('that may have been delivered is not retried, and is injected if it is found', async () => {
    const { hook, pty, send, become } = await startAgent();
    hook.outcome = () => 'uncertain';
    const id = await send('one');
    await isTraced(id, { state: 'uncertain', reason: { code: 'unconfirmed' } });
    become(hook, DOWN);
    await isTraced(await send('two'), { state: 'injected', path: 'pty' });
    expect(pty.delivered).toEqual(['two']);
    hook.onFound(id);
    await isTraced(id, { state: 'injected', path: 'hook' });
  });

  it('waits for the best path that works, not for another one', async () => {
    const { hook, pty, send, become } = await startAgent({ hook: { wait: { code: 'approval_dialog' } } });
    const id = await send('one');
    await isTraced(id, { state: 'stored', reason: { code: 'approval_dialog' } });
    become(hook, 'open');
    await isTraced(id, { state: 'injected', path: 'hook' });
    expect(pty.delivered).toEqual([]);
  });

  it('waits for what the path that works waits for, not for the one that does not', async () => {
    const { send } = await startAgent({ hook: DOWN, pty: { wait: { code: 'draft' } } });
    await isTraced(await send('one'), { state: 'stored', reason: { code: 'draft' } });
  });

  it('is not delivered while there is a reason to hold it', async () => {
    hold = { code: 'usage_limit' };
    const { hook, pty, send, deliverer } = await startAgent();
    const id = await send('one');
    await isTraced(id, { state: 'stored', reason: { code: 'usage_limit' } });
    hold = undefined;
    deliverer.look();
    await isTraced(id, { state: 'injected', path: 'hook' });
    expect([hook.delivered, pty.delivered]).toEqual([['one'], []]);
  });
});

describe('an agent at work', () => {
  it('is not disturbed by messages that are not urgent', async () => {
    const { hook, send, become } = await startAgent({ hook: BUSY });
    const ids = [await send('one'), await send('two')];
    for (const id of ids) await isTraced(id, { state: 'stored', reason: { code: 'busy' } });
    become(hook, 'open');
    for (const id of ids) await isTraced(id, { state: 'injected' });
    expect(hook.delivered).toEqual(['one', 'two']);
  });

  it('gets an urgent message, after those before it and not those after it', async () => {
    const { hook, send, become } = await startAgent({ hook: BUSY });
    const before = await send('before');
    await isTraced(before, { state: 'stored', reason: { code: 'busy' } });
    const urgent = await send('urgent', true);
    await isTraced(urgent, { state: 'injected', path: 'hook' });
    const after = await send('after');
    await isTraced(after, { state: 'stored', reason: { code: 'busy' } });
    expect(hook.delivered).toEqual(['before', 'urgent']);
    become(hook, 'open');
    await isTraced(after, { state: 'injected' });
  });

  it('gets no urgent message if it chose not to', async () => {
    const { hook, send } = await startAgent({ hook: { wait: { code: 'attention' } } });
    await isTraced(await send('urgent', true), { state: 'stored', reason: { code: 'attention' } });
    expect(hook.delivered).toEqual([]);
  });
});

it('a delivered message is never delivered again, and is reported to a restarted daemon', async () => {
  const { hook, pty, send, become, failures } = await startAgent({ hook: { wait: { code: 'busy' } } });
  const ids = [await send('one'), await send('two')];
  const killed = new Promise<void>((resolve) => {
    hook.outcome = (text) => {
      if (text.endsWith('one')) void daemon.kill9().then(resolve);
      return 'injected';
    };
  });
  become(hook, 'open');
  await killed;
  await daemon.start();
  for (const id of ids) await isTraced(id, { state: 'injected', path: 'hook' });
  expect([hook.delivered, pty.delivered, failures]).toEqual([['one', 'two'], [], []]);
});
