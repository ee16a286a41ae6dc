import { describe, expect, it } from 'vitest';
import { type TransferRecord, transferRecord } from './transfer.ts';

const TIME = 1_800_000_000_000;
const ESCAPE = '\u001b]0;x\u0007';

const agent = {
  type: 'agent',
  agent: 'Alice',
  agentType: 'agent',
  lead: false,
  ephemeral: false,
  capabilities: [],
  tools: [],
  mcpEnabled: false,
  createdAt: TIME,
  lastSeenAt: TIME,
} satisfies TransferRecord;
const conversation = {
  type: 'conversation',
  kind: 'dm',
  conversation: 'Alice Bob@5',
  createdAt: TIME,
} satisfies TransferRecord;
const message = {
  type: 'message',
  id: 'msg_1',
  clientId: 'c1@12',
  conversation: 'Alice Bob@5',
  sender: ':Zoe@5',
  unverified: false,
  body: `anything, also ${ESCAPE}`,
  kind: 'free',
  importance: 'normal',
  awaitsReply: false,
  createdAt: TIME,
  mentions: ['Bob'],
  attachments: [],
} satisfies TransferRecord;
const channel = {
  type: 'channel',
  name: 'dev',
  createdBy: 'key none',
  createdAt: TIME,
} satisfies TransferRecord;
const reaction = {
  type: 'reaction',
  message: 'msg_1',
  agent: 'Bob@5',
  emoji: '🎉',
  at: TIME,
} satisfies TransferRecord;
const member = {
  type: 'member',
  channel: '#dev',
  agent: 'Alice',
  joinedAt: TIME,
  present: true,
} satisfies TransferRecord;

describe('a record of an export', () => {
  it.each<TransferRecord>([
    agent,
    { ...agent, agent: `Alice@${TIME}`, removedAt: TIME },
    { ...agent, agent: 'relay', agentType: 'system' },
    conversation,
    { ...conversation, kind: 'group', conversation: `:Zoe@5 Alice Bob@${TIME}` },
    { ...conversation, kind: 'broadcast', conversation: '*' },
    message,
    { ...message, conversation: '#dev', thread: 'red', replyTo: 'msg_0' },
    channel,
    reaction,
    { ...reaction, emoji: ':eyes:' },
    member,
  ])('is accepted: $type', (record) => {
    expect(transferRecord.parse(record)).toEqual(record);
  });

  it.each<[field: string, record: TransferRecord]>([
    ['agent', { ...agent, agent: `Alice${ESCAPE}` }],
    ['agent', { ...agent, agent: 'relay' }],
    ['agent', { ...agent, agent: 're1ay' }],
    ['agent', { ...agent, agent: 'lead' }],
    ['agent', { ...agent, agentType: 'system' }],
    ['agent', { ...agent, agent: ':Alice@5' }],
    ['agent', { ...agent, agent: 'Alice@5' }],
    ['agent', { ...agent, agent: 'Alice@5', removedAt: TIME }],
    ['capabilities', { ...agent, capabilities: [ESCAPE] }],
    ['capabilities', { ...agent, capabilities: [{ category: ESCAPE, description: 'x' }] }],
    ['conversation', { ...conversation, conversation: '*' }],
    ['conversation', { ...conversation, conversation: '#dev' }],
    ['conversation', { ...conversation, conversation: 'Alice  Bob' }],
    ['conversation', { ...conversation, kind: 'broadcast' }],
    ['conversation', { ...message, conversation: `Alice Bob${ESCAPE}` }],
    ['sender', { ...message, sender: ':Zoe' }],
    ['id', { ...message, id: `msg${ESCAPE}` }],
    ['thread', { ...message, thread: `t${ESCAPE}` }],
    ['replyTo', { ...message, replyTo: `m${ESCAPE}` }],
    ['mentions', { ...message, mentions: [ESCAPE] }],
    ['name', { ...channel, name: `dev${ESCAPE}` }],
    ['createdBy', { ...channel, createdBy: ESCAPE }],
    ['emoji', { ...reaction, emoji: ESCAPE }],
    ['channel', { ...member, channel: 'dev' }],
  ])('is refused for an impossible %s', (field, record) => {
    const { error } = transferRecord.safeParse(record);
    expect(new Set(error?.issues.map(({ path }) => path[0]))).toEqual(new Set([field]));
  });
});
