import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let chief: Participant;
let worker: Participant;
beforeEach(async () => {
  core = await openCore();
  workspace = await core.newWorkspace();
  chief = await core.join(workspace, 'Chief');
  await chief.request('SPAWN', { name: 'Sub', cli: 'claude', waitMs: 0 });
  const { token = '', run = '' } = core.processes.started.at(-1) ?? {};
  worker = await core.join(workspace, 'Sub', { token });
  worker = worker.again({ paths: ['pty'], receiver: run });
});
afterEach(() => core[Symbol.asyncDispose]());

/** With which authority a message of theirs reaches the worker; in its inbox it is the same. */
async function authorityOf(sender: Participant): Promise<string | undefined> {
  const { messageId } = await sender.send('Sub', 'Do it');
  const { messages: shown } = await worker.request('INBOX', { limit: 500 });
  const { messages } = await worker.request('CLAIM', { path: 'pty' });
  const [inbox, claimed] = [shown, messages].map((all) => all.find(({ id }) => id === messageId)?.authority);
  expect(inbox).toBe(claimed);
  return claimed;
}
const parentOfWorker = async () =>
  (await chief.request('WHO', { agent: 'Sub', includeOffline: true })).agents[0]?.parent;

it('describes the sender to a worker: a person, the agent it works for, the lead, a peer', async () => {
  expect(await authorityOf(chief)).toBe('parent');
  expect(await authorityOf(await core.join(workspace, 'Peer'))).toBe('peer');
  expect(await authorityOf(await core.join(workspace, 'Ada', { lead: true }))).toBe('lead');
  expect(await authorityOf(await core.join(workspace, 'Ann', { type: 'human' }))).toBe('person');
});

it('trusts no unverified name, and nobody of another project', async () => {
  expect(await authorityOf(chief.declared())).toBe('unverified');
  const elsewhere = await core.newWorkspace();
  const stranger = await core.join(elsewhere, 'Chief', { type: 'human' });
  await stranger.send(`${workspace.name}:Sub`, 'Do it');
  const { messages } = await worker.request('CLAIM', { path: 'pty' });
  expect(messages.at(-1)?.authority).toBe('other_project');
});

it('knows the agent it works for by another name', async () => {
  await core.owner(workspace).request('AGENT_RENAME', { agent: 'Chief', name: 'Boss' });
  expect(await authorityOf(chief)).toBe('parent');
  expect(await parentOfWorker()).toBe('Boss');
});

it('does not mistake another agent of that name for it', async () => {
  await core.owner(workspace).request('AGENT_REMOVE', { agent: 'Chief' });
  chief = await core.join(workspace, 'Chief');
  expect(await authorityOf(chief)).toBe('peer');
  expect(await parentOfWorker()).toBeUndefined();
});

it('does not trust an agent’s own claim about its parent', async () => {
  const own = await core.join(workspace, 'Free', { parent: 'Chief' });
  const free = own.again({ paths: ['pty'], receiver: 'run_free' });
  await chief.send('Free', 'Do it');
  const { messages } = await free.request('CLAIM', { path: 'pty' });
  expect(messages.map(({ authority }) => authority)).toEqual(['peer']);
});
