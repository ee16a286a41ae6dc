import type { OperationInput, OperationName } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

let core: TestCore;
let alice: Participant;
let remote: Participant;
let owner: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  const workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  owner = core.owner(workspace);
  remote = Object.assign(core.owner(workspace), {
    principal: { workspace, agent: undefined, local: false, keyId: '12345678' },
  });
});

const OWNERS_ONLY: Array<[OperationName, OperationInput<OperationName>]> = [
  ['TAIL', {}],
  ['STARTED_WITH', {}],
  ['WORKSPACE_CREATE', { name: 'shop' }],
  ['WORKSPACE_LIST', {}],
  ['PROJECT_OPEN', { root: '/home/ann/shop' }],
  ['KEY_CREATE', {}],
  ['KEY_LIST', {}],
  ['KEY_ROTATE', {}],
  ['KEY_REVOKE', { keyId: '12345678' }],
  ['TOKEN_ROTATE', { agent: 'Alice' }],
  ['AUDIT', {}],
  ['WORKSPACE_RENAME', { workspace: 'shop', name: 'store' }],
  ['WORKSPACE_REMOVE', { workspace: 'shop' }],
  ['AGENT_RENAME', { agent: 'Alice', name: 'Alina' }],
  ['AGENT_REMOVE', { agent: 'Alice' }],
  ['GRANT', { agent: 'Alice', project: 'shop' }],
  ['MESSAGE_COUNTS', {}],
  ['HELD_LIST', {}],
  ['HELD_RELEASE', { ids: ['msg_1'] }],
];

describe('what only the local owner may do', () => {
  it.each(OWNERS_ONLY)('%s is refused to an agent and to a holder of a key', async (operation, input) => {
    for (const participant of [alice, remote]) {
      await expect(participant.request(operation, input)).rejects.toMatchObject({ code: 'Forbidden' });
    }
    expect((await owner.request('AUDIT', {})).entries).toMatchObject([{ action: 'agent.registered' }]);
  });
});

describe('what only an agent can do', () => {
  it.each<[OperationName, OperationInput<OperationName>]>([
    ['SEND', { to: 'Alice', content: 'Hi.' }],
    ['INBOX', {}],
    ['ACK', { upTo: 1 }],
    ['ANNOUNCE', { kind: 'capability_announcement', capabilities: [], tools: [] }],
    ['CONVERSATIONS', {}],
    ['REACT', { message: 'msg_1', emoji: '👍' }],
    ['WAIT', { timeoutMs: 1 }],
    ['RECEIVE', {}],
    ['CLAIM', { path: 'pty' }],
    ['REPORT', { path: 'pty', state: 'ready' }],
    ['ATTACH', { upload: 'u', offset: 0, data: '' }],
    ['CHANNEL_JOIN', { channel: 'general' }],
    ['CHANNEL_LEAVE', { channel: 'general' }],
  ])('%s needs a name', async (operation, input) => {
    for (const participant of [owner, remote]) {
      await expect(participant.request(operation, input)).rejects.toMatchObject({
        code: 'AgentNameRequired',
      });
    }
  });
});

describe('STATUS', () => {
  it("returns the agent's name and its unread messages", async () => {
    const bob = await core.join(alice.principal.workspace, 'Bob');
    await bob.send('Alice', 'Hi.');
    expect(await alice.request('STATUS', {})).toMatchObject({
      agent: 'Alice',
      unread: 1,
      project: alice.principal.workspace.name,
      database: 'sqlite',
    });
    expect(await owner.request('STATUS', {})).not.toHaveProperty('agent');
  });
});

describe('revoking', () => {
  it('a key ends the connections made with it, and no others', async () => {
    const { keyId } = await owner.request('KEY_CREATE', {});
    const withKey = Object.assign(alice.again(), { principal: { ...alice.principal, keyId } });
    const { keyId: otherId } = await owner.request('KEY_CREATE', {});
    const withOther = Object.assign(alice.again(), { principal: { ...alice.principal, keyId: otherId } });
    await owner.request('KEY_REVOKE', { keyId });
    expect([withKey, withOther, alice].map(({ isRevoked }) => isRevoked)).toEqual([true, false, false]);
    await owner.request('KEY_ROTATE', {});
    expect([withOther, alice].map(({ isRevoked }) => isRevoked)).toEqual([true, false]);
  });

  it('a token ends every connection of its agent', async () => {
    const second = alice.again();
    const bob = await core.join(alice.principal.workspace, 'Bob');
    const token = `at_${'x'.repeat(43)}`;
    expect(await owner.request('TOKEN_ROTATE', { agent: 'alice', token })).toEqual({ token });
    expect([alice, second, bob].map(({ isRevoked }) => isRevoked)).toEqual([true, true, false]);
  });

  it('a token needs a valid new one', async () => {
    await expect(owner.request('TOKEN_ROTATE', { agent: 'Alice', token: 'short' })).rejects.toMatchObject({
      code: 'InvalidRequest',
    });
    expect(alice.isRevoked).toBe(false);
  });
});
