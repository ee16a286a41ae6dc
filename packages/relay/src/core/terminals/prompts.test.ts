import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

const FIRST = {
  key: 'first',
  ask: { kind: 'command' as const, command: 'rm -r build\x1b[2J', description: 'Tidies\nup' },
};
const SECOND = { key: 'second', ask: { kind: 'command' as const, command: 'ls' } };
const gone = { pid: 1, mark: 'gone' };
const RUN = { run: 'run_1', cli: 'codex', cwd: '/', host: gone, program: gone, startedAt: 1 };

let core: TestCore;
let workspace: Workspace;
let host: Participant;
let ann: Participant;
beforeEach(async () => {
  core = await openCore();
  workspace = await core.newWorkspace();
  host = await core.join(workspace, 'Runner');
  await host.request('HOST', RUN);
  ann = core.owner(workspace).connect();
});
afterEach(() => core[Symbol.asyncDispose]());

const report = (more: object = {}) => host.request('PROMPT_REPORT', { run: 'run_1', ...more });
const list = async () => (await ann.request('PROMPT_LIST', {})).prompts;
const seen = async () => (await list())[0]?.digest ?? '';
const answer = async (by: Participant, wanted: 'allow' | 'deny' = 'allow', digest?: string) =>
  by.request('PROMPT_ANSWER', { agent: 'Runner', digest: digest ?? (await seen()), answer: wanted });
/** What the host was told to answer, once it was. */
const told = () =>
  expect
    .poll(() => host.events.findLast((event) => event.type === 'terminal.command'))
    .toBeDefined()
    .then(() => host.events.findLast((event) => event.type === 'terminal.command'))
    .then((event) => (event?.command.kind === 'answer' ? event.command : undefined));

describe('a permission prompt', () => {
  it('is listed for people: first what it asks for, then what the agent says about it', async () => {
    await report({ prompt: FIRST });
    expect(await list()).toEqual([
      {
        agent: 'Runner',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        text: [
          'Run this command (1 line; those with ! are escaped):',
          '  1! rm -r build\\u{1b}[2J',
          'Described by the agent as: Tidies up',
        ].join('\n'),
        since: expect.any(Number),
      },
    ]);
    await report();
    expect(await list()).toEqual([]);
  });

  it('is answered by a person, through its host, and that is in the audit log', async () => {
    await report({ prompt: FIRST });
    const digest = await seen();
    const answered = answer(ann, 'deny');
    const command = await told();
    expect(command).toMatchObject({ key: 'first', answer: 'deny' });
    await report({ answered: { request: command?.request, isSent: true } });
    await answered;
    expect(await list()).toEqual([]);
    const { entries } = await ann.request('AUDIT', {});
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'prompt.answer',
        subject: 'Runner',
        detail: { digest, answer: 'deny' },
      }),
    );
  });

  it.each([
    ['another prompt', SECOND],
    ['the same with another text', { ...FIRST, ask: SECOND.ask }],
    ['the same with another description', { ...FIRST, ask: { ...FIRST.ask, description: 'Lists' } }],
    ['the same text in another prompt', { ...FIRST, key: 'second' }],
  ])('is not answered if %s was seen', async (_what, now) => {
    await report({ prompt: FIRST });
    const before = await seen();
    await report({ prompt: now });
    await expect(answer(ann, 'allow', before)).rejects.toMatchObject({ code: 'PromptChanged' });
    expect(host.events.filter(({ type }) => type === 'terminal.command')).toEqual([]);
    expect(await seen()).not.toBe(before);
  });

  it('is listed with others in pages', async () => {
    for (let at = 0; at < 10; at++) {
      const other = await core.join(workspace, `Other${at}`);
      const run = `run_other${at}`;
      await other.request('HOST', { ...RUN, run });
      const ask = { kind: 'command' as const, command: 'x'.repeat(60_000) };
      await other.request('PROMPT_REPORT', { run, prompt: { key: 'long', ask } });
    }
    const first = await ann.request('PROMPT_LIST', {});
    const second = await ann.request('PROMPT_LIST', { cursor: first.next });
    expect(first.prompts.length).toBeLessThan(10);
    expect([...first.prompts, ...second.prompts]).toHaveLength(10);
    expect(second.next).toBeUndefined();
  });

  it.each([
    ['its host cannot pass it on', undefined],
    ['escapes make it so', { kind: 'command' as const, command: '\u0007'.repeat(20_000) }],
  ])(
    'can only be denied from elsewhere if it is too long to be shown whole, because %s',
    async (_why, ask) => {
      await report({ prompt: { key: 'long', ask } });
      expect(await list()).toMatchObject([
        { tooLong: true, text: expect.stringMatching(/too long to be shown here .* 65536 char.* terminal/) },
      ]);
      await expect(answer(ann)).rejects.toMatchObject({ code: 'PromptTooLong' });
      expect(host.events.filter(({ type }) => type === 'terminal.command')).toEqual([]);
      const denied = answer(ann, 'deny');
      const command = await told();
      await report({ answered: { request: command?.request, isSent: true } });
      await denied;
    },
  );

  it('is not answered if the host finds that it has changed', async () => {
    await report({ prompt: FIRST });
    const answered = answer(ann);
    const refused = expect(answered).rejects.toMatchObject({ code: 'PromptChanged' });
    const command = await told();
    await report({ prompt: SECOND, answered: { request: command?.request, isSent: false } });
    await refused;
    const { entries } = await core.owner(workspace).request('AUDIT', { limit: 2 });
    expect(entries.map(({ action }) => action)).toEqual(['prompt.answer_failed', 'prompt.answer']);
  });

  it('is answered by only one of two people', async () => {
    const bob = core.owner(workspace).connect();
    await report({ prompt: FIRST });
    const first = answer(ann);
    await expect(answer(bob, 'deny')).rejects.toMatchObject({ code: 'PromptChanged' });
    const command = await told();
    await report({ answered: { request: command?.request, isSent: true } });
    await first;
  });

  it('is not shown to agents, and cannot be answered by them', async () => {
    const mallory = await core.join(workspace, 'Mallory');
    await report({ prompt: FIRST });
    for (const agent of [mallory, host]) {
      await expect(agent.request('PROMPT_LIST', {})).rejects.toMatchObject({ code: 'Forbidden' });
      await expect(answer(agent)).rejects.toMatchObject({ code: 'Forbidden' });
    }
  });

  it('ends with its program', async () => {
    await report({ prompt: FIRST });
    await host.request('RUN_REPORT', { run: 'run_1', exit: { code: 0 } });
    expect(await list()).toEqual([]);
  });
});

describe('reports of prompts', () => {
  const forged = { run: 'run_1', prompt: SECOND };

  it('are refused from another connection of the agent, and from another agent', async () => {
    const mallory = await core.join(workspace, 'Mallory');
    await mallory.request('HOST', { ...RUN, run: 'run_2' });
    await report({ prompt: FIRST });
    const before = await list();
    await expect(host.again().request('PROMPT_REPORT', forged)).rejects.toMatchObject({
      code: 'Forbidden',
      message: "This connection is not the host of Runner's run run_1.",
    });
    await expect(mallory.request('PROMPT_REPORT', forged)).rejects.toMatchObject({ code: 'NotRunning' });
    expect(await list()).toEqual(before);
  });

  it('are refused from another machine, and from somebody who only says it is the agent', async () => {
    const far = await core.joinFromAfar(workspace, 'Far');
    await far.request('HOST', { ...RUN, run: 'run_far' });
    for (const one of [far, host.declared()])
      await expect(one.request('PROMPT_REPORT', { ...forged, run: 'run_far' })).rejects.toMatchObject({
        code: 'Forbidden',
        message: expect.stringContaining("on the daemon's machine"),
      });
    expect(await list()).toEqual([]);
  });

  it('confirm only the answers of their own run', async () => {
    const mallory = await core.join(workspace, 'Mallory');
    await mallory.request('HOST', { ...RUN, run: 'run_2' });
    await report({ prompt: FIRST });
    let isOver = false;
    const answered = answer(ann).finally(() => {
      isOver = true;
    });
    const command = await told();
    const confirmed = { answered: { request: command?.request ?? '', isSent: true } };
    await mallory.request('PROMPT_REPORT', { run: 'run_2', ...confirmed });
    await expect(host.again().request('PROMPT_REPORT', { run: 'run_1', ...confirmed })).rejects.toMatchObject(
      { code: 'Forbidden' },
    );
    await host.listening();
    expect(isOver).toBe(false);
    await report({ prompt: FIRST, ...confirmed });
    await answered;
  });

  it('of a connection that is not the host any more are not answered', async () => {
    await report({ prompt: FIRST });
    const other = host.again();
    await other.request('HOST', RUN);
    await expect(report({ prompt: SECOND })).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(answer(ann)).rejects.toMatchObject({ code: 'Timeout' });
    const events = [...host.events, ...other.events];
    expect(events.filter(({ type }) => type === 'terminal.command')).toEqual([]);
    await other.request('PROMPT_REPORT', { run: 'run_1', prompt: FIRST });
    expect(await list()).toHaveLength(1);
  });

  it('in the form of an older host are refused', async () => {
    const older = { digest: 'a'.repeat(64), text: 'Run a command\nls' };
    await expect(report({ prompt: older })).rejects.toMatchObject({ code: 'InvalidRequest' });
    expect(await list()).toEqual([]);
  });
});
