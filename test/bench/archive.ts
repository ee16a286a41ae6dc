import { join } from 'node:path';
import { hashSecret } from '@agent-relay/platform/secrets';
import { idMaker } from '@agent-relay/protocol';
import { draftValues } from '../../packages/relay/src/store/append.ts';
import { Database } from '../../packages/relay/src/store/sqlite/database.ts';
import type { AppendCall, Call } from '../../packages/relay/src/store/sqlite/threads.ts';
import { Writer } from '../../packages/relay/src/store/sqlite/writer.ts';

export interface ArchiveSize {
  messages: number;
  agents: number;
}

export const RARE_WORD = 'zanzibar';
export const COMMON_WORD = 'build';
export const PROJECT = 'archive';
/** The time of the last message. */
const END = 1_800_000_000_000;
const BATCH = 5_000;
const PARTNERS = 5;
/** The first agents write every fifth message, so that the measured history has full pages in every archive. */
export const CREW = 10;
const CHANNEL_MEMBERS = 10;
/** About this many messages, the newest, are unread in each inbox of the crew. */
const UNREAD = 50;

export const agentName = (index: number): string => `agent-${index}`;
export const agentToken = (index: number): string => `at_${`${index}`.padStart(43, '0')}`;
export const channelName = (index: number): string => `channel-${Math.floor(index / CHANNEL_MEMBERS)}`;
/** A thread of the agent with one of its partners. */
export const threadName = (index: number): string => `thread-${index}`;

/**
 * Writes a database with a long history, with the store's own statements: of an agent's messages nine in ten go to one of
 * five partners, one to its channel of ten; one in twenty is in a thread. Five messages have the rare word.
 */
export function buildArchive(directory: string, size: ArchiveSize): string {
  const path = join(directory, `${size.messages}-${size.agents}.db`);
  const connection = Database.forWriting(path);
  const writer = new Writer(connection);
  const run = (calls: Call[]): unknown[] => {
    const { values, failures } = writer.run(calls);
    if (failures[0]) throw new Error(failures[0].failure.message);
    return values;
  };
  const conversations = furnish(run, size.agents);
  const readUpTo = size.messages - UNREAD * CREW * 5;
  for (let first = 0; first < size.messages; first += BATCH) {
    const count = Math.min(BATCH, size.messages - first);
    run(Array.from({ length: count }, (_, i) => message(first + i, size, conversations)));
  }
  const isRead = { sql: 'UPDATE deliveries SET read_at = ? WHERE message_seq <= ?', params: [END, readUpTo] };
  connection.transaction(() => connection.execute(isRead));
  while (run([['indexForSearch', 1000]])[0] !== 0);
  writer.close();
  return path;
}

interface Conversations {
  /** The conversation of each agent with each of its partners. */
  direct: number[];
  channels: number[];
}

function furnish(run: (calls: Call[]) => unknown[], agents: number): Conversations {
  const createdAt = END - 1_000_000_000_000;
  const numbers = Array.from({ length: agents }, (_, index) => index);
  const idOf = (values: unknown[]) => values.map((value) => (value as { id: number }).id);
  run([['createWorkspace', { name: PROJECT, root: undefined, createdAt }]]);
  run(numbers.map((index) => ['createAgent', newAgent(index, createdAt)]));
  const direct = idOf(
    run(
      numbers.flatMap((index) =>
        Array.from({ length: PARTNERS }, (_, turn): Call => {
          const key = [index + 1, partnerOf(index, turn, agents) + 1].sort((a, b) => a - b).join(':');
          return ['ensureConversation', { workspaceId: 1, kind: 'dm', key, createdAt }];
        }),
      ),
    ),
  );
  const owners = numbers.filter((index) => index % CHANNEL_MEMBERS === 0);
  const channels = idOf(
    run(
      owners.map((index) => {
        const channel = { workspaceId: 1, name: channelName(index), topic: undefined };
        return ['createChannel', { ...channel, createdBy: agentName(index), createdAt }];
      }),
    ),
  );
  run(
    numbers.map((index) => [
      'addMember',
      channels[Math.floor(index / CHANNEL_MEMBERS)] ?? 0,
      index + 1,
      createdAt,
    ]),
  );
  return { direct, channels };
}

/** The crew talks among itself. */
const partnerOf = (agent: number, turn: number, agents: number): number =>
  (agent + 1 + (turn % PARTNERS)) % (agent < CREW ? CREW : agents);

const newId = idMaker(() => END, Math.random);

function message(
  number: number,
  { messages, agents }: ArchiveSize,
  conversations: Conversations,
): AppendCall {
  const isRare = number % Math.floor(messages / 5) === Math.floor(messages / 10);
  const crowd = number % 5 === 0 ? CREW : agents;
  const count = number % 5 === 0 ? number / 5 : number;
  const sender = isRare ? 0 : count % crowd;
  const turn = isRare ? 0 : Math.floor(count / crowd);
  const isPost = !isRare && turn % 10 === 9;
  const recipient = partnerOf(sender, turn, agents);
  const conversationId = isPost
    ? conversations.channels[Math.floor(sender / CHANNEL_MEMBERS)]
    : conversations.direct[sender * PARTNERS + (turn % PARTNERS)];
  const values = draftValues({
    id: newId('msg'),
    clientId: `${number}`,
    workspaceId: 1,
    conversationId: conversationId ?? 0,
    senderId: sender + 1,
    audience: { kind: 'agents', ids: [] },
    body: isRare ? `The key to ${RARE_WORD} is under the mat.` : sentence(number),
    thread: turn % 20 === 10 ? threadName(sender) : undefined,
    replyTo: undefined,
    kind: 'free',
    importance: 'normal',
    awaitsReply: false,
    unverified: false,
    createdAt: END - (messages - number) * 1000,
    expiresAt: undefined,
    mentions: [],
    attachments: [],
  });
  return { values, recipients: isPost ? 'members' : [recipient + 1] };
}

/** Words as in a language: a few are in every message, most are rare. */
function sentence(number: number): string {
  const words = [`Message ${number}: the ${COMMON_WORD} is green`];
  for (let i = 1, state = number + 1; i <= 10; i++) {
    state = (state * 48_271) % 2_147_483_647;
    words.push(`word${Math.floor(20_000 * (state / 2_147_483_647) ** 3)}`);
  }
  return words.join(' ');
}

const newAgent = (index: number, createdAt: number) => ({
  workspaceId: 1,
  name: agentName(index),
  type: 'agent',
  lead: false,
  ephemeral: false,
  capabilities: [],
  tools: [],
  mcpEnabled: false,
  tokenHash: hashSecret(agentToken(index)),
  createdAt,
});
