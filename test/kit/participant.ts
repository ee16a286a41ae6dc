import {
  type ErrorPayload,
  type Message,
  type OperationInput,
  type OperationName,
  type OperationParams,
  type OperationResult,
  parsePayload,
  RelayError,
  type RelayEvent,
  type ReplyPayload,
  type ServedCallPayload,
  type ToolDefinition,
} from '@agent-relay/protocol';
import { OPERATIONS } from '@agent-relay/protocol/schemas';
import type { HandledCalls } from '../../packages/relay/src/core/calls/handled-calls.ts';
import type { AwaitOutcome as Outcome } from '../../packages/relay/src/core/delivery/awaits.ts';
import type { Receiver } from '../../packages/relay/src/core/delivery/receiver.ts';
import { receive } from '../../packages/relay/src/core/delivery/receiving.ts';
import type { Peer } from '../../packages/relay/src/core/directory/connections.ts';
import type { Caller, Ongoing, OnlyOne } from '../../packages/relay/src/core/operations/caller.ts';
import type { Operations } from '../../packages/relay/src/core/operations/index.ts';
import type { PresentConnection } from '../../packages/relay/src/core/ports/directory.ts';
import type { Principal } from '../../packages/relay/src/core/principal.ts';
import type { Relay } from '../../packages/relay/src/core/relay.ts';
import { OngoingOperations } from '../../packages/relay/src/transport/ongoing.ts';

/** What a participant needs of the core it is connected to. */
export interface Running {
  relay: Relay;
  operations: Operations;
  /** Whose connections end before the database is closed. */
  connected: Set<Participant>;
}

let requests = 0;

/** What an operation that goes on ends with. */
type AnyOutcome = Outcome | { result: unknown };

function outcomeOf(type: string, payload: unknown): AnyOutcome {
  if (type === 'REPLY') return { reply: (payload as ReplyPayload).message };
  if (type === 'RESULT') return payload as { result: unknown };
  return { error: RelayError.fromPayload(payload as ErrorPayload) };
}

/** One live connection as the domain knows it: it asks, and keeps what it is told. */
export class Participant implements Peer, Caller {
  readonly #core: Running;
  readonly principal: Principal;
  token = '';
  session: string | undefined;
  clientSession: string | undefined;
  presence: PresentConnection | undefined;
  receiver: Receiver | undefined;
  serving: HandledCalls | undefined;
  hosting: Ongoing | undefined;
  isToldOfMail = false;
  readonly delivered: Message[] = [];
  readonly events: RelayEvent[] = [];
  /** The calls it was told to handle. */
  readonly calls: ServedCallPayload[] = [];
  readonly progress: unknown[] = [];
  isRevoked = false;
  readonly #ongoing = new OngoingOperations({
    hasRoom: true,
    send: (type, payload) => this.#sent(type, payload),
    deliver: (message) => this.delivered.push(message),
    lost: (error) => {
      throw error;
    },
  });
  readonly #outcomes = new Map<string, PromiseWithResolvers<AnyOutcome>>();
  readonly #settled = new Set<string>();

  constructor(core: Running, principal: Principal) {
    this.#core = core;
    this.principal = principal;
  }

  get name(): string {
    return this.principal.agent?.name ?? '';
  }

  /** Takes its messages by `push`, unless it says otherwise. */
  connect({ paths = ['push'], ...rest }: Partial<OperationParams<'RECEIVE'>> = {}): this {
    const { relay, connected } = this.#core;
    connected.add(this);
    relay.presence.join(this);
    const { agent } = this.principal;
    const wish = { paths, notify: false, receiver: undefined, ...rest };
    if (agent) receive(relay, this, agent, wish, { requestId: 'hello', resumeAfter: 0 });
    return this;
  }

  disconnect(): void {
    this.hangUp();
    this.#core.connected.delete(this);
    this.#core.relay.presence.leave(this);
  }

  /** Takes nothing any more; whoever is in charge may not have noticed. */
  hangUp(): void {
    this.#ongoing.close();
  }

  /** Resolves when what was unread has been pushed: from now on each message comes as it is stored. */
  async listening(): Promise<void> {
    await this.#core.relay.store.lastSeq(this.principal.workspace.id);
  }

  /** A second connection of the same agent. */
  again(receiving: Partial<OperationParams<'RECEIVE'>> = {}): Participant {
    return new Participant(this.#core, this.principal).connect(receiving);
  }

  /** A connection that several share, and on which somebody says it is this agent. */
  declared(): Participant {
    return new Participant(this.#core, { ...this.principal, unverified: true });
  }

  async request<N extends OperationName>(
    operation: N,
    input: OperationInput<N>,
    id = `r${++requests}`,
  ): Promise<OperationResult<N>> {
    const params = parsePayload(OPERATIONS[operation].params, input, operation);
    const handler = this.#core.operations[operation] as unknown as (
      caller: Caller,
      params: unknown,
      id: string,
    ) => OperationResult<N>;
    return handler(this, params, id);
  }

  send(to: string | string[], content: string, more: Partial<OperationInput<'SEND'>> = {}, id?: string) {
    return this.request('SEND', { to, content, ...more }, id);
  }

  /** Answers a message where it was said. */
  reply(replyTo: string, content: string, more: Partial<OperationInput<'SEND'>> = {}) {
    return this.request('SEND', { replyTo, content, ...more });
  }

  /** Its unread messages as a push shows them: without what their senders are to it. */
  async unread(): Promise<Message[]> {
    const { messages } = await this.request('INBOX', { limit: 500 });
    return messages.map(({ authority: _, ...message }) => message);
  }

  /** Sends a question; resolves when it is stored, with how to get its outcome. */
  async ask(to: string, more: Partial<OperationInput<'SEND'>> = {}, id = `ask${++requests}`) {
    const sent = await this.send(to, 'What now?', { await: { timeoutMs: 30_000 }, ...more }, id);
    return { ...sent, requestId: id, thread: sent.thread ?? '', outcome: () => this.#outcome(id).promise };
  }

  serve(...tools: Array<Partial<ToolDefinition>>): Promise<unknown> {
    const described = { name: 'add', description: 'Adds', inputSchema: {} };
    return this.request('SERVE', { tools: tools.map((tool) => ({ ...described, ...tool })) });
  }

  /** Calls `Name.tool`; resolves when the call is begun, with how to get its outcome. */
  async call(target: string, args: Record<string, unknown> = {}, more: Partial<OperationInput<'CALL'>> = {}) {
    const [server = '', tool = ''] = target.split('.');
    const id = `call${++requests}`;
    const call = { kind: 'mcp_tool_call', server, tool, arguments: args, ...more } as const;
    const { callId } = await this.request('CALL', call, id);
    return { callId, requestId: id, outcome: () => this.outcomeOf(id) };
  }

  /** Answers the latest call that it was told to handle. */
  answer(ending: { result: unknown } | { error: string }, callId = this.calls.at(-1)?.callId ?? '') {
    return this.request('RESULT', { kind: 'mcp_tool_result', callId, ...ending });
  }

  /** What an operation that goes on ends with. */
  outcomeOf(requestId: string): Promise<AnyOutcome> {
    return this.#outcome(requestId).promise;
  }

  /** Whether a question has its outcome. */
  isSettled({ requestId }: { requestId: string }): boolean {
    return this.#settled.has(requestId);
  }

  begin(requestId: string, only?: OnlyOne): Ongoing {
    return this.#ongoing.begin(requestId, only);
  }

  end(requestId: string): void {
    this.#ongoing.end(requestId);
  }

  endOnly(kind: OnlyOne): void {
    this.#ongoing.endOnly(kind);
  }

  watch(): void {
    this.#core.relay.presence.watch(this);
  }

  notify(event: RelayEvent): void {
    this.events.push(event);
  }

  revoke(): void {
    this.isRevoked = true;
    this.disconnect();
  }

  #sent(type: string, payload: unknown): void {
    if (type === 'EVENT') {
      this.notify(payload as RelayEvent);
      return;
    }
    if (type === 'CALL') {
      this.calls.push(payload as ServedCallPayload);
      return;
    }
    if (type === 'PROGRESS') {
      this.progress.push(payload);
      return;
    }
    const { id } = payload as { id: string };
    this.#settled.add(id);
    this.#outcome(id).resolve(outcomeOf(type, payload));
  }

  #outcome(id: string): PromiseWithResolvers<AnyOutcome> {
    const outcome = this.#outcomes.get(id) ?? Promise.withResolvers<AnyOutcome>();
    this.#outcomes.set(id, outcome);
    return outcome;
  }
}
