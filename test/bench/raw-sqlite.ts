import { join } from 'node:path';
import { idMaker } from '@agent-relay/protocol';
import { draftValues } from '../../packages/relay/src/store/append.ts';
import { Database } from '../../packages/relay/src/store/sqlite/database.ts';
import type { Call } from '../../packages/relay/src/store/sqlite/threads.ts';
import { Writer } from '../../packages/relay/src/store/sqlite/writer.ts';
import { requestId, sampleBody } from './pairs.ts';

/** The minimum cost of storing a message: the store's own statements on a separate file, and nothing else. */
export class RawSqlite implements Disposable {
  readonly #writer: Writer;
  readonly #pairs: number;
  readonly #newId = idMaker(Date.now, Math.random);
  readonly #body = sampleBody();
  #count = 0;

  /** As many pairs of sender and receiver as the measured daemon has. */
  constructor(directory: string, pairs: number) {
    this.#writer = new Writer(Database.forWriting(join(directory, 'raw.db')));
    this.#pairs = pairs;
    const createdAt = Date.now();
    const workspace: Call = ['createWorkspace', { name: 'raw', root: undefined, createdAt }];
    const agents = Array.from({ length: 2 * pairs }, (_, i): Call => ['createAgent', newAgent(i, createdAt)]);
    const conversations = Array.from({ length: pairs }, (_, pair): Call => {
      const key = `${2 * pair + 1}:${2 * pair + 2}`;
      return ['ensureConversation', { workspaceId: 1, kind: 'dm', key, createdAt }];
    });
    const { failures } = this.#writer.run([workspace, ...agents, ...conversations]);
    if (failures[0]) throw new Error(failures[0].failure.message);
  }

  /** Milliseconds of each of `count` transactions with one message. */
  measureCommits(count: number): number[] {
    return Array.from({ length: count }, () => {
      const call = this.#nextMessage();
      const startedAt = performance.now();
      this.#store([call]);
      return performance.now() - startedAt;
    });
  }

  /** Messages a second, in transactions of `batch` messages, for about `ms` milliseconds. */
  measureRate(batch: number, ms: number): number {
    const startedAt = performance.now();
    let stored = 0;
    while (performance.now() - startedAt < ms) {
      this.#store(Array.from({ length: batch }, () => this.#nextMessage()));
      stored += batch;
    }
    return (stored / (performance.now() - startedAt)) * 1000;
  }

  [Symbol.dispose](): void {
    this.#writer.close();
  }

  #store(calls: Call[]): void {
    const { failures } = this.#writer.run(calls);
    if (failures[0]) throw new Error(failures[0].failure.message);
  }

  #nextMessage(): Call {
    const number = ++this.#count;
    const pair = number % this.#pairs;
    const [senderId, recipientId] = [2 * pair + 1, 2 * pair + 2];
    const values = draftValues({
      id: this.#newId('msg'),
      clientId: requestId(number),
      workspaceId: 1,
      conversationId: pair + 1,
      senderId,
      audience: { kind: 'agents', ids: [recipientId] },
      body: `${number} ${this.#body}`,
      thread: undefined,
      replyTo: undefined,
      kind: 'free',
      importance: 'normal',
      awaitsReply: false,
      unverified: false,
      createdAt: Date.now(),
      expiresAt: undefined,
      mentions: [],
      attachments: [],
    });
    return { values, recipients: [recipientId] };
  }
}

const newAgent = (index: number, createdAt: number) => ({
  workspaceId: 1,
  name: `agent-${index}`,
  type: 'agent',
  lead: false,
  ephemeral: false,
  capabilities: [],
  tools: [],
  mcpEnabled: false,
  tokenHash: `${index}`,
  createdAt,
});
