import type { ErrorCode, OperationInput, OperationName } from '@agent-relay/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { connectToSocket, connectToWebSocket, type RawClient } from '../kit/raw-client.ts';

const SECRET = 'the-secret-of-home';

let daemon: TestDaemon;
/** The owner of `home`, the project that nobody else may look into. */
let owner: RawClient;
let home: { key: string; revokedKey: string; aliceToken: string; bobToken: string; messageId: string };
let other: { key: string };
const clients: RawClient[] = [];

const remote = async () => {
  const client = await connectToWebSocket(`ws://${daemon.http}/ws`);
  clients.push(client);
  return client;
};
const local = async (path = daemon.socketPath) => {
  const client = await connectToSocket(path);
  clients.push(client);
  return client;
};

beforeAll(async () => {
  daemon = await startDaemon({ projectName: 'home' });
  owner = await local();
  await owner.hello({});
  const { key } = await owner.request('KEY_CREATE', {});
  const revoked = await owner.request('KEY_CREATE', {});
  await owner.request('KEY_REVOKE', { keyId: revoked.keyId });
  const { agentToken: aliceToken = '' } = await (await local()).hello({ name: 'Alice', task: SECRET });
  const bob = await local();
  const { agentToken: bobToken = '' } = await bob.hello({ name: 'Bob' });
  const { messageId } = await bob.request('SEND', { to: 'Alice', content: SECRET });
  await bob.request('CHANNEL_CREATE', { name: 'secret' });
  home = { key, revokedKey: revoked.key, aliceToken, bobToken, messageId };
  other = await owner.request('WORKSPACE_CREATE', { name: 'other' });
});
afterAll(async () => {
  for (const client of clients) client[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
});

/** Each operation aimed at what belongs to `home`, and what somebody of another workspace must get. */
const AIMED: { [Name in OperationName]: [OperationInput<Name>, ErrorCode | 'ok'] } = {
  SEND: [{ to: 'Alice', content: 'Hello?' }, 'AgentNotFound'],
  CANCEL: [{ id: 'question' }, 'ok'],
  INBOX: [{ unread_only: false, limit: 500 }, 'ok'],
  WHO: [{ project: 'home', includeOffline: true }, 'Forbidden'],
  STATUS: [{}, 'ok'],
  STARTED_WITH: [{}, 'Forbidden'],
  TRACE: [{ id: 'MESSAGE' }, 'MessageNotFound'],
  TAIL: [{ after: 0 }, 'Forbidden'],
  WATCH: [{}, 'ok'],
  ACK: [{ messages: ['MESSAGE'], state: 'read' }, 'MessageNotFound'],
  DISCOVER: [{ capability: 'review' }, 'ok'],
  TOOLS: [{ agent: 'Alice' }, 'AgentNotFound'],
  ANNOUNCE: [{ kind: 'capability_announcement', capabilities: ['spy'], tools: [] }, 'ok'],
  SERVE: [{ tools: [] }, 'ok'],
  CALL: [{ kind: 'mcp_tool_call', server: 'Alice', tool: 'spy' }, 'AgentNotFound'],
  RESULT: [{ kind: 'mcp_tool_result', callId: 'call_1' }, 'ok'],
  PROGRESS: [{ callId: 'call_1', progress: 1 }, 'ok'],
  ACTIONS: [{}, 'ok'],
  INVOKE: [{ name: 'Alice.spy' }, 'ActionNotFound'],
  INVOCATION: [{ invocationId: 'inv_1' }, 'InvocationNotFound'],
  INVOCATIONS: [{}, 'ok'],
  SERVERS: [{}, 'Forbidden'],
  SERVER_TOOLS: [{ server: 'files' }, 'Forbidden'],
  SERVER_ADD: [{ server: 'files', url: 'http://localhost:9010' }, 'Forbidden'],
  SERVER_REMOVE: [{ server: 'files' }, 'Forbidden'],
  SERVER_RECONNECT: [{ server: 'files' }, 'Forbidden'],
  SERVER_APPROVE: [{ server: 'files', tool: 'read', digest: 'v2:0' }, 'Forbidden'],
  WAIT: [{ timeoutMs: 1 }, 'ok'],
  RECEIVE: [{ paths: ['pty'], notify: true }, 'ok'],
  CLAIM: [{ path: 'pty', limit: 100 }, 'ok'],
  REPORT: [{ path: 'pty', messages: ['MESSAGE'], state: 'injected' }, 'MessageNotFound'],
  WORKSPACE_CREATE: [{ name: 'mine' }, 'Forbidden'],
  WORKSPACE_LIST: [{}, 'Forbidden'],
  PROJECT_OPEN: [{ root: '/tmp/mine' }, 'Forbidden'],
  KEY_CREATE: [{ workspace: 'home' }, 'Forbidden'],
  KEY_LIST: [{ workspace: 'home' }, 'Forbidden'],
  KEY_ROTATE: [{ workspace: 'home' }, 'Forbidden'],
  KEY_REVOKE: [{ workspace: 'home', keyId: '12345678' }, 'Forbidden'],
  TOKEN_ROTATE: [{ agent: 'Alice' }, 'Forbidden'],
  AUDIT: [{}, 'Forbidden'],
  PAGE_LINK: [{}, 'Forbidden'],
  PAGE_SESSIONS: [{}, 'Forbidden'],
  PAGE_SESSION_REVOKE: [{ all: true }, 'Forbidden'],
  EXPORT: [{}, 'Forbidden'],
  IMPORT: [
    { records: [{ type: 'reaction', message: 'msg_1', agent: 'Bob', emoji: '👀', at: 1 }] },
    'Forbidden',
  ],
  HISTORY: [{ limit: 500 }, 'ok'],
  MESSAGE_COUNTS: [{}, 'Forbidden'],
  THREAD: [{ id: 'MESSAGE' }, 'MessageNotFound'],
  SEARCH: [{ query: SECRET }, 'ok'],
  CONVERSATIONS: [{}, 'ok'],
  REACT: [{ message: 'MESSAGE', emoji: '👀' }, 'MessageNotFound'],
  READERS: [{ message: 'MESSAGE' }, 'MessageNotFound'],
  REDACT: [{ message: 'MESSAGE' }, 'MessageNotFound'],
  HELD_LIST: [{}, 'Forbidden'],
  HELD_RELEASE: [{ ids: ['MESSAGE'] }, 'Forbidden'],
  CHANNEL_CREATE: [{ name: 'den' }, 'ok'],
  CHANNEL_JOIN: [{ channel: 'secret' }, 'ChannelNotFound'],
  CHANNEL_LEAVE: [{ channel: 'secret' }, 'ChannelNotFound'],
  CHANNEL_LIST: [{ includeArchived: true }, 'ok'],
  CHANNEL_MEMBERS: [{ channel: 'secret' }, 'ChannelNotFound'],
  CHANNEL_INVITE: [{ channel: 'general', agent: 'Alice' }, 'AgentNotFound'],
  CHANNEL_TOPIC: [{ channel: 'secret', topic: 'x' }, 'ChannelNotFound'],
  CHANNEL_ARCHIVE: [{ channel: 'secret' }, 'ChannelNotFound'],
  AGENT_RENAME: [{ agent: 'Alice', name: 'Eve' }, 'Forbidden'],
  AGENT_SET: [{ agent: 'Alice', lead: true }, 'Forbidden'],
  AGENT_ATTENTION: [{ agent: 'Alice', attention: 'now' }, 'AgentNotFound'],
  AGENT_REMOVE: [{ agent: 'Alice' }, 'Forbidden'],
  GRANT: [{ agent: 'Alice', project: 'home' }, 'Forbidden'],
  ATTACH: [{ upload: 'u1', offset: 0, data: 'aGk=' }, 'ok'],
  FETCH: [{ attachment: 'att_1' }, 'AttachmentNotFound'],
  SPAWN: [{ name: 'Worker', cli: 'claude' }, 'Forbidden'],
  RELEASE: [{ agent: 'Alice' }, 'AgentNotFound'],
  RESUME: [{ agent: 'Alice' }, 'Forbidden'],
  RESULT_SUBMIT: [{ data: 'done' }, 'NotRunning'],
  RESULT_AWAIT: [{ agent: 'Alice' }, 'AgentNotFound'],
  HOST: [
    {
      run: 'run_1',
      cli: 'claude',
      cwd: '/',
      host: { pid: 1, mark: 'a' },
      program: { pid: 1, mark: 'a' },
      startedAt: 1,
    },
    'ok',
  ],
  RUN_REPORT: [{ run: 'run_2' }, 'NotRunning'],
  RUN_NOTE: [{ run: 'run_2', id: 'note_1', content: 'x' }, 'NotRunning'],
  TERMINAL_ATTACH: [{ agent: 'Alice', columns: 80, rows: 24 }, 'AgentNotFound'],
  TERMINAL_INPUT: [{ viewer: 'view_1', data: '' }, 'NotRunning'],
  TERMINAL_RESIZE: [{ viewer: 'view_1', columns: 80, rows: 24 }, 'NotRunning'],
  TERMINAL_HOLD: [{ viewer: 'view_1' }, 'NotRunning'],
  TERMINAL_RECLAIM: [{ run: 'run_2', viewer: 'view_1' }, 'NotRunning'],
  CONSENT_ANSWER: [{ message: 'MESSAGE', answer: 'allow' }, 'MessageNotFound'],
  PROMPT_LIST: [{}, 'Forbidden'],
  PROMPT_ANSWER: [{ agent: 'Alice', digest: 'a'.repeat(64), answer: 'allow' }, 'Forbidden'],
  PROMPT_REPORT: [{ run: 'run_2' }, 'Forbidden'],
  TERMINAL_OUTPUT: [{ run: 'run_2', data: '' }, 'NotRunning'],
  WORKSPACE_RENAME: [{ workspace: 'home', name: 'mine' }, 'Forbidden'],
  WORKSPACE_REMOVE: [{ workspace: 'home' }, 'Forbidden'],
};
const operations = Object.keys(AIMED) as OperationName[];
const payloadOf = (operation: OperationName): unknown =>
  JSON.parse(JSON.stringify(AIMED[operation][0]).replace('MESSAGE', home.messageId));

/** Everything durable about `home`, as its owner sees it. */
async function stateOfHome(): Promise<unknown> {
  const { agents } = await owner.request('WHO', { includeOffline: true });
  return {
    agents: agents.map(({ name, capabilities, task }) => ({ name, capabilities, task })),
    keys: await owner.request('KEY_LIST', {}),
    workspaces: (await owner.request('WORKSPACE_LIST', {})).workspaces.map(({ name }) => name),
    audit: await owner.request('AUDIT', { limit: 1000 }),
    trace: await owner.request('TRACE', { id: home.messageId }),
  };
}

/** What must never be in an answer to somebody who does not belong to `home`. */
const leaks = () => new RegExp([SECRET, 'Bob', home.aliceToken, home.bobToken, home.key].join('|'));

/** Sends HELLO and a request right away, without waiting for WELCOME. */
async function rush(client: RawClient, hello: Record<string, unknown>, operation: OperationName) {
  client.send('HELLO', hello, 'hello');
  client.send(operation, payloadOf(operation), 'asked');
  await client.closed;
  return client.received;
}

const refusedWith = (code: ErrorCode, id: string) => [
  expect.objectContaining({ type: 'ERROR', payload: expect.objectContaining({ id, code }) }),
];

describe.each(operations)('%s', (operation) => {
  it('with the key of another workspace sees nothing of this one', async () => {
    const before = await stateOfHome();
    const client = await remote();
    await client.hello({ workspaceKey: other.key, name: `spy-${operation}`, paths: ['pty'] });
    const [, expected] = AIMED[operation];
    const answer = client.request(operation, payloadOf(operation) as never);
    if (expected === 'ok') await answer;
    else await expect(answer).rejects.toMatchObject({ code: expected });
    await client.settled();
    expect(JSON.stringify(client.received)).not.toMatch(leaks());
    const said = expected === 'ok' ? await answer : await answer.catch((error) => error.toPayload());
    expect(JSON.stringify(said)).not.toMatch(leaks());
    expect(await stateOfHome()).toEqual(before);
    await client.end();
  });

  it('with a revoked key is refused', async () => {
    const before = await stateOfHome();
    const hello = { workspaceKey: home.revokedKey, name: 'Eve' };
    expect(await rush(await remote(), hello, operation)).toEqual(refusedWith('Unauthorized', 'hello'));
    expect(await stateOfHome()).toEqual(before);
  });

  it('with a wrong token, or that of another agent, is refused', async () => {
    const before = await stateOfHome();
    const wrong = `at_${'x'.repeat(43)}`;
    for (const token of [wrong, home.bobToken]) {
      const stranger = { workspaceKey: home.key, name: 'Alice', token };
      expect(await rush(await remote(), stranger, operation)).toEqual(refusedWith('NameTaken', 'hello'));
      const neighbour = { name: 'Alice', token };
      expect(await rush(await local(), neighbour, operation)).toEqual(refusedWith('NameTaken', 'hello'));
    }
    expect(await rush(await remote(), { token: wrong }, operation)).toEqual(
      refusedWith('Unauthorized', 'hello'),
    );
    expect(await stateOfHome()).toEqual(before);
  });

  it('without HELLO is refused everywhere', async () => {
    const before = await stateOfHome();
    for (const client of [await remote(), await local()]) {
      client.send(operation, payloadOf(operation), 'asked');
      await client.closed;
      expect(client.received).toEqual(refusedWith('HelloRequired', 'asked'));
    }
    expect(await stateOfHome()).toEqual(before);
  });
});

describe('the local socket of another project', () => {
  it('does not show the agents and messages of this one', async () => {
    const { workspaces } = await owner.request('WORKSPACE_LIST', {});
    const path = workspaces.find(({ name }) => name === 'other')?.socketPath;
    const client = await local(path);
    await client.hello({});
    await expect(client.request('TRACE', { id: home.messageId })).rejects.toMatchObject({
      code: 'MessageNotFound',
    });
    await client.request('TAIL', { after: 0 });
    await client.settled();
    expect(JSON.stringify(client.received)).not.toMatch(leaks());
  });

  it('does not accept the token of an agent of this one', async () => {
    const { workspaces } = await owner.request('WORKSPACE_LIST', {});
    const client = await local(workspaces.find(({ name }) => name === 'other')?.socketPath);
    await expect(client.hello({ token: home.aliceToken })).rejects.toMatchObject({ code: 'Unauthorized' });
  });
});

describe('a holder of the key', () => {
  it('can register a new name, and is that agent with its token afterwards', async () => {
    const first = await remote();
    const { agentToken = '' } = await first.hello({ workspaceKey: home.key, name: 'Carol' });
    await first.end();
    const second = await remote();
    expect(await second.hello({ token: agentToken })).toMatchObject({
      project: 'home',
      agent: { name: 'Carol' },
    });
    await second.end();
  });

  it('cannot take an existing name', async () => {
    const client = await remote();
    await expect(client.hello({ workspaceKey: home.key, name: 'ALICE' })).rejects.toMatchObject({
      code: 'NameTaken',
    });
  });
});
