import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

const FIRST = { digest: 'a'.repeat(64), text: 'Run a command\nrm -r build\x1b[2J' };
const SECOND = { digest: 'b'.repeat(64), text: 'Run a command\nls' };
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
const answer = (by: Participant, { digest } = FIRST, wanted: 'allow' | 'deny' = 'allow') =>
  by.request('PROMPT_ANSWER', { agent: 'Runner', digest, answer: wanted });
const list = async () => (await ann.request('PROMPT_LIST', {})).prompts;
/** What the host was told to answer, once it was. */
const told = () =>
  expect
    .poll(() => host.events.findLast((event) => event.type === 'terminal.command'))
    .toBeDefined()
    .then(() => host.events.findLast((event) => event.type === 'terminal.command'))
    .then((event) => (event?.command.kind === 'answer' ? event.command : undefined));

describe('a permission prompt', () => {
  it('is listed for people, without control sequences', async () => {
    await report({ prompt: FIRST });
    expect(await list()).toMatchObject([
      { agent: 'Runner', digest: FIRST.digest, text: 'Run a command\nrm -r build\u{FFFD}[2J' },
    ]);
    await report();
    expect(await list()).toEqual([]);
  });

  it('is answered by a person, through its host, and that is in the audit log', async () => {
    await report({ prompt: FIRST });
    const answered = answer(ann, FIRST, 'deny');
    const command = await told();
    expect(command).toMatchObject({ digest: FIRST.digest, answer: 'deny' });
    await report({ answered: { request: command?.request, isSent: true } });
    await answered;
    expect(await list()).toEqual([]);
    const { entries } = await ann.request('AUDIT', {});
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'prompt.answer',
        subject: 'Runner',
        detail: { digest: FIRST.digest, answer: 'deny' },
      }),
    );
  });

  it('is not answered if it is not the one that was seen', async () => {
    await report({ prompt: FIRST });
    await report({ prompt: SECOND });
    await expect(answer(ann)).rejects.toMatchObject({ code: 'PromptChanged' });
    expect(host.events.filter(({ type }) => type === 'terminal.command')).toEqual([]);
    expect(await list()).toMatchObject([{ digest: SECOND.digest }]);
  });

  it('is listed with others in pages', async () => {
    const text = 'x'.repeat(60_000);
    for (let at = 0; at < 10; at++) {
      const other = await core.joinFromAfar(workspace, `Far${at}`);
      await other.request('HOST', { ...RUN, run: `run_far${at}` });
      await other.request('PROMPT_REPORT', { run: `run_far${at}`, prompt: { ...FIRST, text } });
    }
    const first = await ann.request('PROMPT_LIST', {});
    const second = await ann.request('PROMPT_LIST', { cursor: first.next });
    expect(first.prompts.length).toBeLessThan(10);
    expect([...first.prompts, ...second.prompts]).toHaveLength(10);
    expect(second.next).toBeUndefined();
  });

  it('shows the latest report of its host', async () => {
    await report({ prompt: { ...FIRST, text: 'Run a command\nls' } });
    await report({ prompt: FIRST });
    expect(await list()).toMatchObject([
      { digest: FIRST.digest, text: expect.stringContaining('rm -r build') },
    ]);
  });

  it('is not answered if the host finds that it has changed', async () => {
    await report({ prompt: FIRST });
    const answered = answer(ann);
    const refused = expect(answered).rejects.toMatchObject({ code: 'PromptChanged' });
    const command = await told();
    await report({ prompt: SECOND, answered: { request: command?.request, isSent: false } });
    await refused;
  });

  it('is answered by only one of two people', async () => {
    const bob = core.owner(workspace).connect();
    await report({ prompt: FIRST });
    const first = answer(ann);
    await expect(answer(bob, FIRST, 'deny')).rejects.toMatchObject({ code: 'PromptChanged' });
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
