import type { OperationInput, RelayEvent } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GONE_AFTER_MS, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let host: Participant;
beforeEach(async () => {
  core = await openCore();
  core.processes.alive.add(1);
  workspace = await core.newWorkspace();
  host = await core.join(workspace, 'Runner');
  const one = { pid: 1, mark: 'one' };
  const run = { run: 'run_1', cli: 'claude', cwd: '/', host: one, program: one, startedAt: 1 };
  await host.request('HOST', run);
});
/** The host connects again, and says more of itself. */
async function connectHost(more: Partial<OperationInput<'HOST'>> = {}): Promise<void> {
  host.disconnect();
  host = host.again();
  const one = { pid: 1, mark: 'one' };
  const run = { run: 'run_1', cli: 'claude', cwd: '/', host: one, program: one, startedAt: 1 };
  await host.request('HOST', { ...run, ...more });
}
afterEach(() => core[Symbol.asyncDispose]());

const person = () => core.owner(workspace).connect();
const attach = (by: Participant, more: Partial<OperationInput<'TERMINAL_ATTACH'>> = {}, id?: string) =>
  by.request('TERMINAL_ATTACH', { agent: 'Runner', columns: 100, rows: 30, ...more }, id);
const eventsOf = <Type extends RelayEvent['type']>(who: Participant, type: Type) =>
  who.events.filter((event): event is Extract<RelayEvent, { type: Type }> => event.type === type);
const commands = () => eventsOf(host, 'terminal.command').map(({ command }) => command);
const output = (data: string, more: Partial<OperationInput<'TERMINAL_OUTPUT'>> = {}) =>
  host.request('TERMINAL_OUTPUT', { run: 'run_1', data, ...more });

describe('a terminal', () => {
  it('is shown as a screen first, then as live output', async () => {
    const ann = person();
    const { viewer } = await attach(ann);
    expect(commands()).toEqual([
      { kind: 'viewers', count: 1 },
      { kind: 'screen', viewer },
    ]);
    await output('AA==');
    const screen = { columns: 120, rows: 40 };
    await output('AQ==', { viewer, screen });
    await output('Ag==');
    expect(eventsOf(ann, 'terminal.output')).toEqual([
      { type: 'terminal.output', viewer, data: 'AQ==', screen },
      { type: 'terminal.output', viewer, data: 'Ag==' },
    ]);
  });

  it('has one writer, who sets its size', async () => {
    const [ann, bob] = [person(), person()];
    const first = await attach(ann, { mode: 'drive', columns: 60 });
    expect(commands()).toContainEqual({ kind: 'size', columns: 80, rows: 30 });
    await expect(attach(bob, { mode: 'drive' })).rejects.toMatchObject({ code: 'TerminalBusy' });
    const second = await attach(bob, { mode: 'drive', takeover: true });
    expect(eventsOf(ann, 'terminal.changed').at(-1)).toMatchObject({ mode: 'watch', viewers: 2 });
    await expect(ann.request('TERMINAL_INPUT', { viewer: first.viewer, data: 'YQ==' })).rejects.toMatchObject(
      {
        code: 'Forbidden',
      },
    );
    await bob.request('TERMINAL_INPUT', { viewer: second.viewer, data: 'Yg==' });
    await ann.request('TERMINAL_RESIZE', { viewer: first.viewer, columns: 200, rows: 50 });
    await bob.request('TERMINAL_RESIZE', { viewer: second.viewer, columns: 90, rows: 20 });
    expect(commands().slice(-2)).toEqual([
      { kind: 'input', viewer: second.viewer, data: 'Yg==' },
      { kind: 'size', columns: 90, rows: 24 },
    ]);
  });

  it('belongs to its own connection and its own agent', async () => {
    const [ann, bob] = [person(), person()];
    const { viewer } = await attach(ann, { mode: 'drive' });
    await expect(bob.request('TERMINAL_INPUT', { viewer, data: 'YQ==' })).rejects.toMatchObject({
      code: 'NotRunning',
    });
    const other = await core.join(workspace, 'Other');
    await expect(attach(other)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(
      other.request('TERMINAL_OUTPUT', { run: 'run_1', data: '', screen: { columns: 1, rows: 1 } }),
    ).rejects.toMatchObject({ code: 'NotRunning' });
    const remote = core.observerFromAfar(workspace);
    await expect(attach(remote)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('holds messages while a viewer asks for it', async () => {
    const [ann, bob] = [person(), person()];
    const { viewer } = await attach(ann, {}, 'looks');
    await attach(bob);
    await ann.request('TERMINAL_HOLD', { viewer });
    expect(eventsOf(bob, 'terminal.changed').at(-1)).toMatchObject({ held: true });
    await ann.request('CANCEL', { id: 'looks' });
    expect(commands().slice(-2)).toEqual([
      { kind: 'viewers', count: 1 },
      { kind: 'hold', held: false },
    ]);
    expect(eventsOf(bob, 'terminal.changed').at(-1)).toMatchObject({ held: false, viewers: 1 });
  });

  it('keeps holding for a viewer that lost its connection, until it is back or late', async () => {
    const bob = person();
    await attach(bob);
    const ann = person();
    await attach(ann, { hold: true });
    ann.disconnect();
    expect(eventsOf(bob, 'terminal.changed').at(-1)).toMatchObject({ held: true, viewers: 1 });
    core.clock.advance(GONE_AFTER_MS - 1);
    const again = person();
    const { viewer } = await attach(again, { hold: true });
    core.clock.advance(GONE_AFTER_MS);
    expect(commands().filter(({ kind }) => kind === 'hold')).not.toContainEqual({
      kind: 'hold',
      held: false,
    });
    await again.request('TERMINAL_HOLD', { viewer, held: false });
    expect(commands().at(-1)).toEqual({ kind: 'hold', held: false });
    const late = person();
    await attach(late, { hold: true });
    late.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    expect(commands().at(-1)).toEqual({ kind: 'hold', held: false });
    expect(eventsOf(bob, 'terminal.changed').at(-1)).toMatchObject({ held: false });
  });

  it('keeps holding across a restart of the daemon', async () => {
    await attach(person(), { hold: true });
    await core.restart();
    host = await core.join(workspace, 'Runner', { token: host.token });
    await connectHost({ held: true });
    expect(commands().at(-1)).toEqual({ kind: 'hold', held: true });
    const { viewer, held } = await attach(person(), { hold: true });
    expect([viewer, held]).toEqual([expect.any(String), true]);
    core.clock.advance(GONE_AFTER_MS);
    expect(commands().filter(({ kind }) => kind === 'hold')).not.toContainEqual({
      kind: 'hold',
      held: false,
    });
  });

  it('does not hold if its host only missed the release', async () => {
    const ann = person();
    const { viewer } = await attach(ann, { hold: true });
    host.disconnect();
    await ann.request('TERMINAL_HOLD', { viewer, held: false });
    await connectHost({ held: true });
    expect(commands().filter(({ kind }) => kind === 'hold')).toEqual([{ kind: 'hold', held: false }]);
  });

  it('ends with its program, and its viewers get the exit status', async () => {
    const ann = person();
    const { viewer } = await attach(ann);
    await host.request('RUN_REPORT', { run: 'run_1', exit: { code: 2 } });
    expect(eventsOf(ann, 'terminal.ended')).toEqual([{ type: 'terminal.ended', viewer, exit: { code: 2 } }]);
    await expect(attach(ann)).rejects.toMatchObject({ code: 'NotRunning' });
  });

  it('is shown again after its host reconnects', async () => {
    const { viewer } = await attach(person(), { mode: 'drive' });
    await connectHost();
    expect(commands()).toEqual(
      expect.arrayContaining([
        { kind: 'viewers', count: 1 },
        { kind: 'screen', viewer },
        { kind: 'size', columns: 100, rows: 30 },
      ]),
    );
  });
});

describe('the viewers of one account', () => {
  const refusal = { code: 'LimitReached', details: { limit: 5, setting: 'quotas.viewers' } };

  it('are limited, and detached ones do not count', async () => {
    const ann = person();
    for (let i = 0; i < 5; i++) await attach(ann, {}, `view${i}`);
    await expect(attach(ann)).rejects.toMatchObject(refusal);
    await expect(attach(person())).rejects.toMatchObject(refusal);
    await ann.request('CANCEL', { id: 'view0' });
    await attach(ann);
    ann.disconnect();
    const bob = person();
    await attach(bob, { mode: 'drive' });
    await expect(attach(bob, { mode: 'drive' })).rejects.toMatchObject({ code: 'TerminalBusy' });
    for (let i = 0; i < 4; i++) await attach(bob);
    await host.request('RUN_REPORT', { run: 'run_1', exit: { code: 0 } });
    await connectHost({ run: 'run_2' });
    for (let i = 0; i < 5; i++) await attach(bob);
    await expect(attach(bob)).rejects.toMatchObject(refusal);
  });
});

describe("an agent in a person's own terminal", () => {
  const changes = (who: Participant) =>
    eventsOf(who, 'terminal.changed').map(({ mode, writer }) => [mode, writer]);
  beforeEach(() => connectHost({ terminal: '/dev/pts/3' }));

  it('is written by that person: a viewer watches, or takes over', async () => {
    const ann = person();
    await expect(attach(ann, { mode: 'drive' })).rejects.toMatchObject({
      code: 'TerminalBusy',
      message: "Someone else is typing in Runner's own terminal.",
    });
    expect(await attach(ann)).toMatchObject({ mode: 'watch', writer: 'terminal' });
    const { viewer, ...state } = await attach(ann, { mode: 'drive', takeover: true });
    expect(state).toMatchObject({ mode: 'drive', writer: 'viewer' });
    expect(commands()).toContainEqual({ kind: 'writer', viewer });
  });

  it('returns to the person at the first key, and the viewer is notified', async () => {
    const ann = person();
    const { viewer } = await attach(ann, { mode: 'drive', takeover: true });
    await host.request('TERMINAL_RECLAIM', { run: 'run_1', viewer });
    expect(changes(ann).at(-1)).toEqual(['watch', 'terminal']);
    await expect(ann.request('TERMINAL_INPUT', { viewer, data: 'YQ==' })).rejects.toMatchObject({
      code: 'Forbidden',
    });
  });

  it('stays with a viewer that took over before a late key arrived', async () => {
    const [ann, bob] = [person(), person()];
    const first = await attach(ann, { mode: 'drive', takeover: true });
    const second = await attach(bob, { mode: 'drive', takeover: true });
    await host.request('TERMINAL_RECLAIM', { run: 'run_1', viewer: first.viewer });
    await bob.request('TERMINAL_INPUT', { viewer: second.viewer, data: 'Yg==' });
    expect(commands().at(-1)).toMatchObject({ kind: 'input', viewer: second.viewer });
  });

  it('returns to the person when the viewer leaves, or the host loses its connection', async () => {
    const ann = person();
    await attach(ann, { mode: 'drive', takeover: true }, 'drives');
    await ann.request('CANCEL', { id: 'drives' });
    expect(commands().at(-1)).toEqual({ kind: 'writer' });
    await attach(ann, { mode: 'drive', takeover: true });
    await connectHost({ terminal: '/dev/pts/3' });
    expect(changes(ann).at(-1)).toEqual(['watch', 'terminal']);
  });
});

describe('the grant of terminals', () => {
  const set = (change: { grant?: ['terminal']; revoke?: ['terminal'] }) =>
    core.owner(workspace).request('AGENT_SET', { agent: 'Remote', ...change });

  it('lets an agent watch, until it is revoked', async () => {
    const remote = await core.joinFromAfar(workspace, 'Remote');
    await expect(attach(remote)).rejects.toMatchObject({
      code: 'Forbidden',
      next: expect.stringContaining('agent-relay agent set Remote --grant terminal'),
    });
    expect(await set({ grant: ['terminal'] })).toEqual({ type: 'agent', lead: false, grants: ['terminal'] });
    const { viewer } = await attach(remote, { mode: 'drive' });
    const screen = { columns: 120, rows: 40 };
    await output('AQ==', { viewer, screen });
    const ann = person();
    const other = await attach(ann);
    await output('AQ==', { viewer: other.viewer, screen });
    await set({ revoke: ['terminal'] });
    await output('Ag==');
    expect(eventsOf(remote, 'terminal.output')).toHaveLength(1);
    expect(eventsOf(remote, 'terminal.ended')).toEqual([{ type: 'terminal.ended', viewer }]);
    await expect(remote.request('TERMINAL_INPUT', { viewer, data: 'YQ==' })).rejects.toMatchObject({
      code: 'NotRunning',
    });
    // People see on.
    expect(eventsOf(ann, 'terminal.output')).toHaveLength(2);
    const { entries } = await core.owner(workspace).request('AUDIT', {});
    const actions = entries.map(({ action }) => action);
    expect(actions).toContain('agent.changed');
    expect(actions).toContain('terminal.attached');
  });

  it('ends views that another program opened for the agent, when it is revoked', async () => {
    const remote = await core.joinFromAfar(workspace, 'Remote');
    const driver = await core.join(workspace, 'Driver', { type: 'human' });
    await driver.serve({ name: 'show' });
    await set({ grant: ['terminal'] });
    const { callId } = await remote.call('Driver.show', { name: 'Runner' });
    const { viewer } = await attach(driver, { call: callId });
    await set({ revoke: ['terminal'] });
    expect(eventsOf(driver, 'terminal.ended')).toEqual([{ type: 'terminal.ended', viewer }]);
  });

  it('is known after a restart, and shown', async () => {
    await core.joinFromAfar(workspace, 'Remote');
    await set({ grant: ['terminal'] });
    await core.restart();
    const { agents } = await core.owner(workspace).request('WHO', { includeOffline: true });
    expect(agents.find(({ name }) => name === 'Remote')).toMatchObject({ grants: ['terminal'] });
  });

  it('can be given by the owner only', async () => {
    const remote = await core.joinFromAfar(workspace, 'Remote');
    const request = remote.request('AGENT_SET', { agent: 'Remote', grant: ['terminal'] });
    await expect(request).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
