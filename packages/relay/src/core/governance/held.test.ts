import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let owner: Participant;
let alice: Participant;
let bob: Participant;
/** The message that was held, and who sent it to whom. */
let heldId: string;
let muted: Participant;
let other: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  owner = core.owner(workspace);
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  for (let turn = 0; ; turn++) {
    [muted, other] = turn % 2 === 0 ? [alice, bob] : [bob, alice];
    const sent = await muted.send(other.name, turn === 0 ? 'It is deployed.' : 'Thank you!');
    if (sent.held === undefined) continue;
    heldId = sent.messageId;
    expect(sent).toMatchObject({ seq: 0, recipients: 0, held: expect.stringContaining('loop governor') });
    break;
  }
});

const held = async () => (await owner.request('HELD_LIST', {})).held;
const notices = (participant: Participant) => participant.delivered.filter(({ from }) => from === 'relay');

describe('a held message', () => {
  it('does not appear in pushes, inbox, history or search', async () => {
    expect(other.delivered.map(({ id }) => id)).not.toContain(heldId);
    const { messages } = await other.request('INBOX', { limit: 500 });
    expect(messages.map(({ id }) => id)).not.toContain(heldId);
    for (const reader of [alice, bob, owner]) {
      const history = await reader.request('HISTORY', {});
      expect(history.messages.map(({ id }) => id)).not.toContain(heldId);
    }
  });

  it('is listed with its reason for the owner', async () => {
    expect(await held()).toEqual([
      {
        id: heldId,
        from: muted.name,
        to: other.name,
        content: 'Thank you!',
        reason: 'muted by loop governor: 6 turns without new content',
        heldAt: core.clock.now(),
      },
    ]);
  });

  it('has a trace with the reason, for its sender and the owner only', async () => {
    for (const reader of [muted, owner]) {
      expect(await reader.request('TRACE', { id: heldId })).toMatchObject({
        message: { id: heldId, from: muted.name, to: other.name },
        deliveries: [],
        held: { reason: expect.stringContaining('loop governor'), heldAt: core.clock.now() },
      });
      expect((await reader.request('TRACE', { id: heldId })).held?.settled).toBeUndefined();
    }
    await expect(other.request('TRACE', { id: heldId })).rejects.toMatchObject({ code: 'MessageNotFound' });
  });

  it('is announced to both agents once', async () => {
    for (let i = 0; i < 3; i++) {
      expect((await muted.send(other.name, 'Thanks again!')).held).toBeDefined();
      expect((await other.send(muted.name, 'You too!')).held).toBeDefined();
    }
    for (const one of [alice, bob]) {
      expect(notices(one)).toMatchObject([
        { kind: 'status', content: expect.stringContaining('agent-relay held release') },
      ]);
    }
    expect(await held()).toHaveLength(7);
  });

  it('is sent as an event to the owner and its sender only', async () => {
    const bystander = await core.join(workspace, 'Carol');
    owner.connect();
    for (const watcher of [owner, alice, bob, bystander]) await watcher.request('WATCH', {});
    const { messageId } = await muted.send(other.name, 'Thanks!');
    const event = {
      type: 'message.held',
      messageId,
      from: muted.name,
      to: other.name,
      reason: expect.stringContaining('loop governor'),
    };
    expect(owner.events).toEqual([event]);
    expect(muted.events).toEqual([event]);
    expect([...other.events, ...bystander.events]).toEqual([]);
  });

  it('is the same when it is sent again, also after a restart', async () => {
    const sent = await muted.send(other.name, 'Thanks!', {}, 'retried');
    expect(sent).toMatchObject({ duplicate: false, held: expect.any(String) });
    const again = { ...sent, duplicate: true };
    expect(await muted.send(other.name, 'Thanks!', {}, 'retried')).toEqual(again);
    await expect(muted.send(other.name, 'Else.', {}, 'retried')).rejects.toMatchObject({
      code: 'IdConflict',
    });
    await core.restart();
    const back = await core.join(workspace, muted.name, { token: muted.token });
    expect(await back.send(other.name, 'Thanks!', {}, 'retried')).toEqual(again);
    owner = core.owner(workspace);
    expect((await held()).map(({ id }) => id)).toEqual([heldId, sent.messageId]);
    await owner.request('HELD_RELEASE', { ids: [sent.messageId] });
    const released = await back.send(other.name, 'Thanks!', {}, 'retried');
    expect(released).toMatchObject({ messageId: sent.messageId, duplicate: true, recipients: 1 });
    expect(released.held).toBeUndefined();
  });

  it('is stored once when it is sent twice at once', async () => {
    const sends = ['a', 'b'].map(() => muted.send(other.name, 'Thanks!', {}, 'twice'));
    const [first, second] = await Promise.all(sends);
    expect(second?.messageId).toBe(first?.messageId);
    expect(await held()).toHaveLength(2);
  });

  it('is not a message that was stored before the loop was noticed', async () => {
    const carol = await core.join(workspace, 'Carol');
    const dave = await core.join(workspace, 'Dave');
    const stored = await carol.send('Dave', 'It is deployed.', {}, 'early');
    for (let turn = 0; ; turn++) {
      const [from, to] = turn % 2 === 0 ? [dave, 'Carol'] : [carol, 'Dave'];
      if ((await from.send(to, 'Thank you!')).held !== undefined) break;
    }
    expect(await carol.send('Dave', 'It is deployed.', {}, 'early')).toEqual({ ...stored, duplicate: true });
  });

  it('does not wait for an answer', async () => {
    const question = await muted.ask(other.name);
    expect(question.held).toBeDefined();
    core.clock.advance(30_000);
    expect(muted.isSettled(question)).toBe(false);
  });
});

describe('a released message', () => {
  it('is delivered under its id, and its exchange continues', async () => {
    core.clock.advance(1000);
    expect(await owner.request('HELD_RELEASE', { ids: [heldId] })).toEqual({ released: 1, discarded: 0 });
    expect(other.delivered.at(-1)).toMatchObject({ id: heldId, from: muted.name, ts: core.clock.now() });
    expect((await other.unread()).at(-1)).toEqual(other.delivered.at(-1));
    expect((await other.send(muted.name, 'Thanks!')).held).toBeUndefined();
    expect((await muted.send(other.name, 'Thanks!')).held).toBeUndefined();
    expect(await held()).toEqual([]);
  });

  it('restarts the count: its exchange is held again only after as many empty turns', async () => {
    await owner.request('HELD_RELEASE', { ids: [heldId] });
    let turns = 0;
    for (const pair = [other, muted] as [Participant, Participant]; turns < 20; pair.reverse(), turns++) {
      if ((await pair[0].send(pair[1].name, 'Thanks!')).held !== undefined) break;
    }
    expect(turns).toBe(5);
  });

  it('has a trace that says until when it was held, and who released it', async () => {
    const heldAt = core.clock.now();
    core.clock.advance(60_000);
    await owner.request('HELD_RELEASE', { ids: [heldId] });
    const settled = { outcome: 'released', by: 'owner', at: core.clock.now() };
    core.clock.advance(1000);
    for (const reader of [muted, owner]) {
      const { message, deliveries, held: hold } = await reader.request('TRACE', { id: heldId });
      expect(message).toMatchObject({ id: heldId, content: 'Thank you!', ts: settled.at });
      expect(deliveries).toMatchObject([{ recipient: other.name }]);
      expect(hold).toEqual({ reason: expect.stringContaining('loop governor'), heldAt, settled });
    }
    const seen = await other.request('TRACE', { id: heldId });
    expect(seen.deliveries).toHaveLength(1);
    expect(seen).not.toHaveProperty('held');
  });

  it('leaves no copy that a redaction would miss', async () => {
    await owner.request('HELD_RELEASE', { ids: [heldId] });
    await muted.request('REDACT', { message: heldId });
    expect(JSON.stringify(await core.relay.held.find(heldId))).not.toContain('Thank you!');
  });

  it('survives a restart while it is held', async () => {
    await core.restart();
    const again = core.owner(workspace);
    expect((await again.request('HELD_LIST', {})).held).toMatchObject([{ id: heldId }]);
    const back = await core.join(workspace, other.name, { token: other.token });
    expect(await again.request('HELD_RELEASE', { ids: [heldId] })).toEqual({ released: 1, discarded: 0 });
    expect(back.delivered.slice(-1)).toMatchObject([{ id: heldId, from: muted.name }]);
  });

  it('is released once', async () => {
    await owner.request('HELD_RELEASE', { ids: [heldId] });
    await expect(owner.request('HELD_RELEASE', { ids: [heldId] })).rejects.toMatchObject({
      code: 'MessageNotFound',
    });
    expect(other.delivered.filter(({ id }) => id === heldId)).toHaveLength(1);
  });

  it('is discarded if its sender was removed', async () => {
    await owner.request('AGENT_REMOVE', { agent: muted.name });
    expect(await owner.request('HELD_RELEASE', { ids: [heldId] })).toEqual({ released: 0, discarded: 1 });
    expect(other.delivered.map(({ id }) => id)).not.toContain(heldId);
  });
});

describe('a discarded message', () => {
  it('is deleted, and its trace says who discarded it', async () => {
    const heldAt = core.clock.now();
    core.clock.advance(60_000);
    const discarded = await owner.request('HELD_RELEASE', { ids: [heldId], discard: true });
    expect(discarded).toEqual({ released: 0, discarded: 1 });
    expect(await held()).toEqual([]);
    const settled = { outcome: 'discarded', by: 'owner', at: core.clock.now() };
    await core.restart();
    const back = await core.join(workspace, muted.name, { token: muted.token });
    for (const reader of [back, core.owner(workspace)]) {
      const { message, deliveries, held: hold } = await reader.request('TRACE', { id: heldId });
      expect(message).toMatchObject({ id: heldId, from: muted.name, to: other.name, content: '' });
      expect(deliveries).toEqual([]);
      expect(hold).toEqual({ reason: expect.stringContaining('loop governor'), heldAt, settled });
    }
    const recipient = await core.join(workspace, other.name, { token: other.token });
    const stranger = core.owner(await core.newWorkspace());
    for (const reader of [recipient, stranger])
      await expect(reader.request('TRACE', { id: heldId })).rejects.toMatchObject({
        code: 'MessageNotFound',
      });
  });

  it('is not one that was delivered before the daemon died', async () => {
    const one = (await core.relay.held.find(heldId)) ?? expect.unreachable();
    const sender = core.relay.agents.byId(one.draft.senderId) ?? expect.unreachable();
    await core.relay.messages.release(one, sender);
    await core.restart();
    const again = core.owner(workspace);
    await again.request('HELD_RELEASE', { ids: [heldId], discard: true });
    const { deliveries, held: hold } = await again.request('TRACE', { id: heldId });
    expect(deliveries).toMatchObject([{ recipient: other.name }]);
    expect(hold?.settled?.outcome).toBe('released');
  });

  it('is one whose sender was removed, also when it was to be released', async () => {
    await owner.request('AGENT_REMOVE', { agent: muted.name });
    await owner.request('HELD_RELEASE', { ids: [heldId] });
    expect((await owner.request('TRACE', { id: heldId })).held?.settled?.outcome).toBe('discarded');
    expect((await owner.request('AUDIT', { limit: 1 })).entries).toMatchObject([
      { action: 'held.discarded', subject: heldId },
    ]);
  });

  it('is never also delivered, when two people decide at once', async () => {
    const [released, discarded] = await Promise.allSettled([
      owner.request('HELD_RELEASE', { ids: [heldId] }),
      owner.request('HELD_RELEASE', { ids: [heldId], discard: true }),
    ]);
    expect(released.status).toBe('fulfilled');
    expect(discarded.status).toBe('rejected');
    expect((await owner.request('TRACE', { id: heldId })).held?.settled?.outcome).toBe('released');
  });

  it('is in the audit log, with all discarded ones and no others', async () => {
    const discarded = await owner.request('HELD_RELEASE', { ids: [heldId, 'msg_unknown'], discard: true });
    expect(discarded).toEqual({ released: 0, discarded: 1 });
    expect((await owner.request('AUDIT', { limit: 1 })).entries).toMatchObject([
      { actor: 'owner', action: 'held.discarded', subject: heldId },
    ]);
  });
});

describe('a message held on its way into another project', () => {
  it("can be traced by its sender, and by the owner of the recipient's project", async () => {
    const elsewhere = await core.newWorkspace();
    const zoe = await core.join(elsewhere, 'Zoe');
    const carol = await core.join(workspace, 'Carol');
    let id = '';
    for (let turn = 0; id === ''; turn++) {
      if (turn % 2 === 1) await zoe.send(`${workspace.name}:Carol`, 'Thank you!');
      else {
        const sent = await carol.send(`${elsewhere.name}:Zoe`, 'Thank you!');
        if (sent.held !== undefined) id = sent.messageId;
      }
    }
    for (const reader of [carol, core.owner(elsewhere)]) {
      expect(await reader.request('TRACE', { id })).toMatchObject({
        message: { id, from: 'Carol', fromProject: workspace.name, to: 'Zoe' },
        held: { reason: expect.stringContaining('loop governor') },
      });
    }
    for (const reader of [zoe, bob, owner]) {
      await expect(reader.request('TRACE', { id })).rejects.toMatchObject({ code: 'MessageNotFound' });
    }
  });
});

describe('held messages of another project', () => {
  it('can neither be seen nor released', async () => {
    const stranger = core.owner(await core.newWorkspace());
    expect((await stranger.request('HELD_LIST', {})).held).toEqual([]);
    await expect(stranger.request('HELD_RELEASE', { ids: [heldId] })).rejects.toMatchObject({
      code: 'MessageNotFound',
    });
    expect(await held()).toHaveLength(1);
  });
});
