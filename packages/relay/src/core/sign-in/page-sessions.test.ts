import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCore, SIGN_IN, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let core: TestCore;
let workspace: Workspace;
beforeEach(async () => {
  core = await openCore();
  workspace = await core.newWorkspace();
});
afterEach(() => core[Symbol.asyncDispose]());

const link = async () => {
  const { url } = await core.owner(workspace).request('PAGE_LINK', {});
  return url.split('#code=')[1] ?? '';
};
const signIn = async () => (await core.relay.pageSessions.signIn(await link(), 'Firefox/1')).session;
const refused = { code: 'Unauthorized', next: expect.stringContaining('agent-relay dashboard') };

describe('a link', () => {
  it('signs in once, into the project it was made in', async () => {
    const code = await link();
    const { project, session } = await core.relay.pageSessions.signIn(code, undefined);
    expect(project).toBe(workspace.name);
    expect((await core.relay.pageSessions.authenticate(session)).workspace).toBe(workspace);
    await expect(core.relay.pageSessions.signIn(code, undefined)).rejects.toMatchObject(refused);
  });

  it('expires after some minutes', async () => {
    const code = await link();
    core.clock.advance(SIGN_IN.linkMinutes * MINUTE_MS);
    await expect(core.relay.pageSessions.signIn(code, undefined)).rejects.toMatchObject(refused);
  });

  it('is not affected when the clock is set', async () => {
    const [first, second] = [await link(), await link()];
    core.clock.set(DAY_MS);
    expect(await core.relay.pageSessions.signIn(first, undefined)).toMatchObject({ project: workspace.name });
    core.clock.set(-2 * DAY_MS);
    core.clock.advance(SIGN_IN.linkMinutes * MINUTE_MS);
    await expect(core.relay.pageSessions.signIn(second, undefined)).rejects.toMatchObject(refused);
  });

  it('is limited to a hundred at once', async () => {
    const first = await link();
    const second = await link();
    for (let more = 0; more < 99; more++) await link();
    await expect(core.relay.pageSessions.signIn(first, undefined)).rejects.toMatchObject(refused);
    expect(await core.relay.pageSessions.signIn(second, undefined)).toMatchObject({
      project: workspace.name,
    });
  });

  it('is created for the owner only', async () => {
    const alice = await core.join(workspace, 'Alice');
    const remote = core.observerFromAfar(workspace);
    for (const other of [alice, remote])
      await expect(other.request('PAGE_LINK', {})).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('a session', () => {
  it('lasts across a restart', async () => {
    const session = await signIn();
    await core.restart();
    expect((await core.relay.pageSessions.authenticate(session)).workspace.name).toBe(workspace.name);
  });

  it('ends after its maximum age, even if it is used', async () => {
    const session = await signIn();
    for (let day = 0; day < SIGN_IN.sessionDays - 1; day++) {
      core.clock.advance(DAY_MS);
      await core.relay.pageSessions.authenticate(session);
    }
    core.clock.advance(DAY_MS);
    await expect(core.relay.pageSessions.authenticate(session)).rejects.toMatchObject(refused);
  });

  it('ends after some days without use', async () => {
    const session = await signIn();
    core.clock.advance(SIGN_IN.idleDays * DAY_MS + 1);
    await expect(core.relay.pageSessions.authenticate(session)).rejects.toMatchObject(refused);
  });

  it('is refused with another secret', async () => {
    const session = await signIn();
    const forged = `${session.slice(0, -1)}${session.endsWith('A') ? 'B' : 'A'}`;
    for (const secret of [forged, 'ps_00000000_x', ''])
      await expect(core.relay.pageSessions.authenticate(secret)).rejects.toMatchObject(refused);
  });

  it('is listed and revoked by its id, which is not a secret', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const owner = core.owner(workspace);
    const { sessions } = await owner.request('PAGE_SESSIONS', {});
    expect(sessions).toMatchObject([
      { browser: 'Firefox/1', connected: false, project: workspace.name },
      { browser: 'Firefox/1' },
    ]);
    expect(JSON.stringify(sessions)).not.toContain(one);
    const [, id = ''] = one.split('_');
    expect(await owner.request('PAGE_SESSION_REVOKE', { id })).toEqual({ revoked: [id] });
    await expect(core.relay.pageSessions.authenticate(one)).rejects.toMatchObject(refused);
    await expect(owner.request('PAGE_SESSION_REVOKE', { id })).rejects.toMatchObject({ code: 'KeyNotFound' });
    expect((await owner.request('PAGE_SESSION_REVOKE', { all: true })).revoked).toHaveLength(1);
    await expect(core.relay.pageSessions.authenticate(other)).rejects.toMatchObject(refused);
    const { entries } = await owner.request('AUDIT', {});
    expect(entries.map(({ action }) => action)).toEqual([
      'page.signed_out',
      'page.signed_out',
      'page.signed_in',
      'page.link_created',
      'page.signed_in',
      'page.link_created',
    ]);
  });
});
