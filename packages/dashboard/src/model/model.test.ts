import type { AgentInfo, HistoryMessage } from '@agent-relay/sdk';
import { describe, expect, it } from 'vitest';
import { applyAgentEvent, kindOf, noteSent } from './agents.ts';
import { RecentMessages } from './recent-messages.ts';
import { TrafficLog } from './traffic.ts';
import { DONE, openQuestions, standingStill, unreadMentions } from './waiting.ts';

const message = (seq: number, fields: Partial<HistoryMessage> = {}): HistoryMessage => ({
  seq,
  id: `m${seq}`,
  from: 'Alice',
  to: 'petra',
  kind: 'free',
  importance: 'normal',
  content: 'Hello',
  ts: seq * 1000,
  ...fields,
});
const question = (seq: number, fields: Partial<HistoryMessage> = {}) =>
  message(seq, { kind: 'question', ...fields });
const answer = (seq: number, fields: Partial<HistoryMessage> = {}) =>
  message(seq, { from: 'petra', to: 'Alice', ...fields });
const agent = (fields: Partial<AgentInfo> = {}): AgentInfo => ({
  name: 'Alice',
  type: 'agent',
  status: 'active',
  lead: false,
  project: 'shop',
  capabilities: [],
  mcpEnabled: false,
  paths: [],
  ...fields,
});

describe('a question to the person', () => {
  const open = (...messages: HistoryMessage[]) => openAt(0, ...messages);
  const openAt = (now: number, ...messages: HistoryMessage[]) =>
    openQuestions(messages, 'petra', now).map(({ id }) => id);

  it('waits until it is answered, oldest first', () => {
    expect(open(question(1), question(2, { from: 'Bob' }))).toEqual(['m1', 'm2']);
  });

  it.each([
    ['in reply to it', answer(2, { replyTo: 'm1', thread: 'm1' })],
    ['in its thread', answer(2, { thread: 'm1' })],
  ])('is answered %s', (_how, given) => {
    expect(open(question(1), given)).toEqual([]);
  });

  it.each([
    ['said beside it: a message is not an answer to all that is open', answer(2)],
    ['said before', answer(0, { thread: 'm1' })],
    ['said by somebody else', message(2, { from: 'Bob', thread: 'm1' })],
    ['said in another thread', answer(2, { thread: 'other' })],
  ])('is not answered by what was %s', (_what, given) => {
    expect(open(given, question(1))).toEqual(['m1']);
  });

  it('is done only when the person marks it as done', () => {
    expect(open(question(1, { reactions: [{ emoji: DONE, agents: ['petra'] }] }))).toEqual([]);
    expect(open(question(1, { reactions: [{ emoji: DONE, agents: ['Bob'] }] }))).toEqual(['m1']);
  });

  it('is one sent to them, to one of their groups, or that mentions them', () => {
    expect(open(question(1, { to: '#general', channel: '#general' }))).toEqual([]);
    expect(open(question(1, { to: '#general', channel: '#general', mentions: ['petra'] }))).toEqual(['m1']);
    expect(open(question(1, { to: 'Bob, petra', group: ['Alice', 'Bob', 'petra'] }))).toEqual(['m1']);
    expect(openAt(1, question(1, { redacted: true }), question(2, { expiresAt: 1 }))).toEqual([]);
  });

  describe('for consent to a call', () => {
    const MINUTE = 60_000;
    const consent = question(1, { from: 'relay', fromType: 'system', thread: 'm1', expiresAt: MINUTE });

    it('is open until it is answered, whatever other messages or reactions there are', () => {
      const done = { ...consent, reactions: [{ emoji: DONE, agents: ['petra'] }] };
      expect(open(done, answer(2, { to: 'relay' }))).toEqual(['m1']);
      expect(open(consent, answer(2, { to: 'relay', replyTo: 'm1', thread: 'm1' }))).toEqual([]);
    });

    it('is closed by the relay, or soon after it expires', () => {
      const note = message(2, { from: 'relay', fromType: 'system', replyTo: 'm1', thread: 'm1' });
      expect(open(consent, { ...note, kind: 'free' })).toEqual(['m1']);
      expect(open(consent, { ...note, kind: 'status' })).toEqual([]);
      expect(openAt(2 * MINUTE, consent)).toEqual(['m1']);
      expect(openAt(10 * MINUTE, consent)).toEqual([]);
    });
  });
});

describe('an agent that is stuck', () => {
  const waits = (code: string, since = 0): AgentInfo =>
    agent({
      paths: [{ path: 'pty', inUse: true, state: 'waits', since, reason: { code, text: code } as never }],
    });

  it('waits for a person if only a person can help', () => {
    for (const code of ['approval_dialog', 'usage_limit', 'signed_out', 'context_full'])
      expect(standingStill([waits(code)], 1000)).toMatchObject([{ code, advice: expect.any(String) }]);
    for (const code of ['busy', 'attention', 'draft']) expect(standingStill([waits(code)], 1000)).toEqual([]);
  });

  it('may take a while to start', () => {
    expect(standingStill([waits('starting')], 10_000)).toEqual([]);
    expect(standingStill([waits('starting')], 60_000)).toHaveLength(1);
  });
});

describe('the list of agents', () => {
  it('follows events', () => {
    const agents = new Map([['Alice', agent({ status: 'offline' })]]);
    applyAgentEvent(agents, { type: 'agent.online', agent: 'Alice' }, 5);
    expect(agents.get('Alice')).toMatchObject({ status: 'active', connectedAt: 5 });
    applyAgentEvent(agents, { type: 'path.changed', agent: 'Alice', path: 'pty', state: 'ready' }, 6);
    expect(agents.get('Alice')?.paths).toEqual([{ path: 'pty', state: 'ready', inUse: true, since: 6 }]);
    applyAgentEvent(agents, { type: 'path.changed', agent: 'Alice', path: 'pty', state: 'away' }, 7);
    expect(agents.get('Alice')?.paths).toEqual([]);
    applyAgentEvent(agents, { type: 'agent.renamed', agent: 'Alicia', before: 'Alice' }, 8);
    expect([...agents.keys()]).toEqual(['Alicia']);
    noteSent(agents, [message(9, { from: 'Alicia' })]);
    expect(agents.get('Alicia')?.lastActivityAt).toBe(9000);
    applyAgentEvent(agents, { type: 'agent.offline', agent: 'Alicia' }, 10);
    expect(agents.get('Alicia')?.status).toBe('offline');
    applyAgentEvent(agents, { type: 'agent.removed', agent: 'Alicia' }, 11);
    expect(agents.size).toBe(0);
  });

  it('says how they take part', () => {
    expect(kindOf(agent({ type: 'human' }))).toBe('Person');
    expect(kindOf(agent({ mcpEnabled: true, cli: 'cursor' }))).toBe('MCP');
    expect(kindOf(agent())).toBe('Program');
    const pty = { path: 'pty', inUse: true, state: 'ready', since: 0 } as const;
    expect(kindOf(agent({ paths: [pty], mcpEnabled: true }))).toBe('Terminal');
  });
});

describe('recent messages', () => {
  it('are in order, without duplicates, up to a limit', () => {
    const recent = new RecentMessages(3);
    recent.add([message(2), message(3)]);
    recent.add([message(1), message(3), message(4)]);
    expect(recent.list().map(({ seq }) => seq)).toEqual([2, 3, 4]);
  });

  it('change with events', () => {
    const recent = new RecentMessages(3);
    recent.add([message(1), message(2)]);
    const react = { type: 'reaction.added', messageId: 'm1', emoji: '👍', agent: 'Bob' } as const;
    expect(recent.apply([react, { type: 'message.redacted', messageId: 'm2' }])).toBe(true);
    expect(recent.list()).toMatchObject([
      { reactions: [{ emoji: '👍', agents: ['Bob'] }] },
      { content: '', redacted: true },
    ]);
    expect(recent.apply([{ ...react, type: 'reaction.removed' }])).toBe(true);
    expect(recent.list()[0]?.reactions).toEqual([]);
    expect(recent.apply([{ ...react, messageId: 'other' }])).toBe(false);
  });
});

describe('traffic', () => {
  const MINUTE = 60_000;
  const at = (seq: number, minute: number, fields: Partial<HistoryMessage>) =>
    message(seq, { ...fields, ts: minute * MINUTE + 1 });
  const span = { since: 0, until: 10 * MINUTE, stretches: 2 };

  it('shows who talked to whom and when, busiest first', () => {
    const log = new TrafficLog();
    log.add([
      at(1, 1, { from: 'Alice', to: 'Bob' }),
      at(2, 2, { from: 'Alice', to: 'Bob' }),
      at(3, 8, { from: 'Bob', to: '#general', channel: '#general' }),
      at(4, 9, { from: 'Carol', to: 'Alice, Bob', group: ['Alice', 'Bob', 'Carol'] }),
      at(5, 9, { from: 'relay', fromType: 'system', to: 'Bob' }),
      at(6, 90, { from: 'Dora', to: 'Bob' }),
    ]);
    expect(log.traffic(span, 3)).toEqual({
      lanes: ['Bob', 'Alice', 'Carol'],
      exchanges: [
        { from: 'Alice', to: 'Bob', at: 0, count: 2 },
        { from: 'Carol', to: 'Alice', at: 1, count: 1 },
        { from: 'Carol', to: 'Bob', at: 1, count: 1 },
      ],
      total: 4,
      hidden: 1,
    });
    expect(log.since).toBe(MINUTE + 1);
  });

  it('counts each message once, also earlier ones, and forgets the day before', () => {
    const log = new TrafficLog();
    log.add([at(5, 5, {}), at(6, 6, {})]);
    log.add([at(3, 3, {}), at(5, 5, {}), at(7, 7, {})]);
    const counts = () => log.traffic(span, 3).exchanges.map(({ at: slot, count }) => [slot, count]);
    expect(counts().sort()).toEqual([
      [0, 1],
      [1, 3],
    ]);
    log.add([at(8, 700, {})]);
    expect(counts()).toEqual([]);
  });
});

describe('a mention of the person', () => {
  it('waits while it is unread, if it asks nothing else', () => {
    const mention = message(1, { to: '#general', channel: '#general', mentions: ['petra'] });
    const others = [
      message(2, { mentions: ['Bob'] }),
      question(3, { mentions: ['petra'] }),
      message(4, { mentions: ['petra'], fromType: 'system' }),
      message(5, { mentions: ['petra'], redacted: true }),
    ];
    expect(unreadMentions([...others, mention], 'petra')).toEqual([mention]);
  });
});
