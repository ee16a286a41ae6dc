import { describe, expect, it } from 'vitest';
import { isOperation, OPERATIONS, type OperationName } from '../operations/operations.ts';
import { isAgentToken, isWorkspaceKey } from '../vocabulary.ts';
import { ackPayload, clientId, helloPayload, jsonObject, sendPayload, toolDefinition } from './payloads.ts';
import { isRepeatable } from './repeatable.ts';

/** An object with this many objects inside each other. */
const nested = (levels: number): Record<string, unknown> => {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < levels; level++) value = { deeper: value };
  return value;
};

/** The smallest payload each operation takes. */
const SMALLEST: { [Name in OperationName]: Record<string, unknown> } = {
  SEND: { content: 'hi' },
  CANCEL: { id: 'r1' },
  INBOX: {},
  WHO: {},
  STATUS: {},
  STARTED_WITH: {},
  TRACE: { id: 'msg_1' },
  TAIL: {},
  WATCH: {},
  ACK: { upTo: 0 },
  DISCOVER: {},
  TOOLS: { agent: 'Bob' },
  ANNOUNCE: { kind: 'capability_announcement', capabilities: [], tools: [] },
  SERVE: { tools: [] },
  CALL: { kind: 'mcp_tool_call', server: 'Bob', tool: 'add' },
  RESULT: { kind: 'mcp_tool_result', callId: 'call_1' },
  PROGRESS: { callId: 'call_1', progress: 1 },
  ACTIONS: {},
  INVOKE: { name: 'review.vote' },
  INVOCATION: { invocationId: 'inv_1' },
  INVOCATIONS: {},
  SERVERS: {},
  SERVER_TOOLS: { server: 'files' },
  SERVER_ADD: { server: 'files', url: 'http://localhost:9010' },
  SERVER_REMOVE: { server: 'files' },
  SERVER_RECONNECT: { server: 'files' },
  SERVER_APPROVE: { server: 'files', tool: 'read', digest: 'v2:0' },
  WAIT: { timeoutMs: 1 },
  RECEIVE: {},
  CLAIM: { path: 'pty' },
  REPORT: { path: 'pty', state: 'ready' },
  WORKSPACE_CREATE: { name: 'shop' },
  WORKSPACE_LIST: {},
  PROJECT_OPEN: { root: '/home/ann/shop' },
  KEY_CREATE: {},
  KEY_LIST: {},
  KEY_ROTATE: {},
  KEY_REVOKE: { keyId: '12345678' },
  TOKEN_ROTATE: { agent: 'Bob' },
  AUDIT: {},
  PAGE_LINK: {},
  PAGE_SESSIONS: {},
  PAGE_SESSION_REVOKE: { id: '0123abcd' },
  HISTORY: {},
  THREAD: { id: 'msg_1' },
  MESSAGE_COUNTS: {},
  SEARCH: { query: 'word' },
  CONVERSATIONS: {},
  REACT: { message: 'msg_1', emoji: '👀' },
  READERS: { message: 'msg_1' },
  REDACT: { message: 'msg_1' },
  HELD_LIST: {},
  HELD_RELEASE: { ids: ['msg_1'] },
  CHANNEL_CREATE: { name: 'dev' },
  CHANNEL_JOIN: { channel: 'dev' },
  CHANNEL_LEAVE: { channel: 'dev' },
  CHANNEL_LIST: {},
  CHANNEL_MEMBERS: { channel: 'dev' },
  CHANNEL_INVITE: { channel: 'dev', agent: 'Bob' },
  CHANNEL_TOPIC: { channel: 'dev', topic: 'work' },
  CHANNEL_ARCHIVE: { channel: 'dev' },
  AGENT_RENAME: { agent: 'Bob', name: 'Robert' },
  AGENT_SET: { agent: 'Bob' },
  AGENT_ATTENTION: {},
  AGENT_REMOVE: { agent: 'Bob' },
  GRANT: { agent: 'Bob', project: 'shop' },
  ATTACH: { upload: 'u1', offset: 0, data: '' },
  FETCH: { attachment: 'att_1' },
  SPAWN: { name: 'Worker', cli: 'claude' },
  RELEASE: { agent: 'Worker' },
  RESUME: { agent: 'Worker' },
  RESULT_SUBMIT: { data: null },
  RESULT_AWAIT: { agent: 'Worker' },
  HOST: {
    run: 'run_1',
    cli: 'claude',
    cwd: '/home/ann/shop',
    host: { pid: 1, mark: 'a' },
    startedAt: 1,
  },
  RUN_REPORT: { run: 'run_1' },
  RUN_NOTE: { run: 'run_1', id: 'note_1', content: 'MCP result from db.count: 3' },
  TERMINAL_ATTACH: { agent: 'Worker', columns: 80, rows: 24 },
  TERMINAL_INPUT: { viewer: 'view_1', data: '' },
  TERMINAL_RESIZE: { viewer: 'view_1', columns: 80, rows: 24 },
  TERMINAL_HOLD: { viewer: 'view_1' },
  TERMINAL_RECLAIM: { run: 'run_1', viewer: 'view_1' },
  CONSENT_ANSWER: { message: 'msg_1', answer: 'allow' },
  PROMPT_LIST: {},
  PROMPT_ANSWER: { agent: 'Worker', digest: 'a'.repeat(64), answer: 'allow' },
  PROMPT_REPORT: { run: 'run_1' },
  TERMINAL_OUTPUT: { run: 'run_1', data: '' },
  WORKSPACE_RENAME: { workspace: 'shop', name: 'store' },
  WORKSPACE_REMOVE: { workspace: 'shop' },
  EXPORT: {},
  IMPORT: { records: [{ type: 'reaction', message: 'msg_1', agent: 'Bob', emoji: '👀', at: 1 }] },
};

/** Payloads that agents of several versions exchange: fields a version does not know are left out, not refused. */
const TOLERANT = new Set<OperationName>(['SEND', 'ANNOUNCE']);

const operations = Object.keys(OPERATIONS) as OperationName[];

describe('the payloads of operations', () => {
  it.each(operations)('%s accepts its smallest form, and requires each field of it', (name) => {
    const { params } = OPERATIONS[name];
    const payload = SMALLEST[name];
    expect(params.safeParse(payload).success).toBe(true);
    for (const field of Object.keys(payload)) {
      const { [field]: _left, ...rest } = payload;
      expect(params.safeParse(rest).success, `without ${field}`).toBe(false);
    }
  });

  it.each(operations)('%s ignores an unknown field', (name) => {
    const parsed = OPERATIONS[name].params.safeParse({ ...SMALLEST[name], surprise: 1 });
    if (TOLERANT.has(name)) expect(parsed.data).not.toHaveProperty('surprise');
    else expect(parsed.success).toBe(false);
  });

  it.each(operations)('%s accepts no other kind of value as its payload', (name) => {
    for (const value of [[], 'text', 5, true]) {
      expect(OPERATIONS[name].params.safeParse(value).success).toBe(false);
    }
  });

  it('are known by their exact name only', () => {
    expect(isOperation('SEND')).toBe(true);
    for (const type of ['send', 'toString', 'constructor', '__proto__', 'HELLO', '']) {
      expect(isOperation(type)).toBe(false);
    }
  });

  it('are repeatable unless a second run would have another effect', () => {
    const once = [
      ...['CALL', 'RESULT', 'PROGRESS', 'RELEASE', 'RESUME', 'PROMPT_ANSWER', 'CONSENT_ANSWER'],
      ...['ATTACH', 'HELD_RELEASE', 'CHANNEL_CREATE', 'TOKEN_ROTATE'],
      ...['AGENT_RENAME', 'AGENT_REMOVE', 'KEY_CREATE', 'KEY_ROTATE'],
      ...['WORKSPACE_CREATE', 'WORKSPACE_RENAME', 'WORKSPACE_REMOVE'],
      ...['SERVER_ADD', 'SERVER_REMOVE', 'SERVER_APPROVE'],
    ];
    expect(operations.filter((name) => !isRepeatable(name)).sort()).toEqual(once.sort());
  });
});

describe('the fields of a message', () => {
  it('have defaults', () => {
    expect(sendPayload.parse({ to: 'Bob', content: 'hi' })).toEqual({
      to: 'Bob',
      content: 'hi',
      kind: 'free',
      importance: 'normal',
    });
  });

  it.each([
    ['kind', 'joke'],
    ['importance', 'huge'],
    ['thread', ''],
    ['thread', 'two words'],
    ['thread', 'x'.repeat(129)],
    ['replyTo', 'x'.repeat(65)],
    ['expiresAt', 0],
    ['expiresAt', 1.5],
    ['await', {}],
    ['await', { timeoutMs: 0 }],
    ['await', { timeoutMs: 86_400_001 }],
    ['content', 5],
    ['to', 'x'.repeat(257)],
  ])('%s may not be %j', (field, value) => {
    const parsed = sendPayload.safeParse({ to: 'Bob', content: 'hi', [field]: value });
    expect(parsed.error?.issues[0]?.path[0]).toBe(field);
  });

  it('do not include the sender: a sender field is dropped', () => {
    expect(sendPayload.parse({ to: 'Bob', content: 'hi', from: 'Eve' })).not.toHaveProperty('from');
  });
});

describe('what a recipient reports', () => {
  it('is flow control or the state of messages, never both', () => {
    expect(ackPayload.safeParse({ upTo: 5 }).success).toBe(true);
    expect(ackPayload.safeParse({ messages: ['m'], state: 'read' }).success).toBe(true);
    expect(ackPayload.safeParse({ upTo: 5, messages: ['m'], state: 'read' }).success).toBe(false);
  });

  it.each([
    { upTo: -1 },
    { messages: [], state: 'read' },
    { messages: Array.from({ length: 1001 }, () => 'm'), state: 'read' },
    { messages: ['m'], state: 'stored' },
    { messages: ['m'], state: 'read', path: 'pigeon' },
  ])('is refused if it is contradictory (case %#)', (payload) => {
    expect(ackPayload.safeParse(payload).success).toBe(false);
  });
});

describe('JSON of unknown shape', () => {
  it('may be nested 32 levels deep and no deeper', () => {
    expect(jsonObject.safeParse(nested(32)).success).toBe(true);
    expect(jsonObject.safeParse(nested(33)).success).toBe(false);
    expect(jsonObject.safeParse({ list: [[nested(30)]] }).success).toBe(false);
  });

  it('is refused at a hundred thousand levels too', () => {
    expect(jsonObject.safeParse(nested(100_000)).success).toBe(false);
  });

  it('is refused in the schema of a tool too', () => {
    const tool = { name: 'look', description: 'Looks.', inputSchema: nested(40) };
    expect(toolDefinition.safeParse(tool).success).toBe(false);
    expect(helloPayload.safeParse({ tools: [tool] }).success).toBe(false);
  });
});

describe('HELLO', () => {
  it('may be empty: version 1, and deliveries pushed', () => {
    expect(helloPayload.parse({})).toEqual({
      protocol: { min: 1, max: 1 },
      paths: ['push'],
      notify: false,
    });
  });

  it('does not combine being pushed to with claiming', () => {
    expect(helloPayload.safeParse({ paths: ['pty', 'native'] }).success).toBe(true);
    expect(helloPayload.safeParse({ paths: ['pty', 'push'] }).success).toBe(false);
  });

  it('cannot claim to be the system', () => {
    expect(helloPayload.safeParse({ type: 'system' }).success).toBe(false);
  });
});

describe('ids, tokens and keys', () => {
  it.each(['r1', '!', 'x'.repeat(64)])('%s is an id a client may choose', (id) => {
    expect(clientId.safeParse(id).success).toBe(true);
  });

  it.each(['', ' ', 'é', 'a\n', 'x'.repeat(65)])('%j is not', (id) => {
    expect(clientId.safeParse(id).success).toBe(false);
  });

  it('distinguishes agent tokens and workspace keys from other text', () => {
    const chance = 'A'.repeat(43);
    expect(isAgentToken(`at_${chance}`)).toBe(true);
    expect(isWorkspaceKey(`rk_0123abcd_${chance}`)).toBe(true);
    for (const text of ['', chance, `at_${chance}A`, `at_${chance.slice(1)}`, `at_${'+'.repeat(43)}`]) {
      expect(isAgentToken(text)).toBe(false);
    }
    for (const text of [`rk_${chance}`, `rk_0123ABCD_${chance}`, `rk_0123abcd_${chance}\n`]) {
      expect(isWorkspaceKey(text)).toBe(false);
    }
  });
});
