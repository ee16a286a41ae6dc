import {
  type ActionInfo,
  type AgentInfo,
  type AgentOffer,
  type AttachmentInfo,
  type Attention,
  type Capability,
  type ConversationInfo,
  type DaemonStatus,
  type DeliveryPath,
  type InvocationInfo,
  type Message,
  type OfferedTool,
  type OperationInput,
  type OperationName,
  type OperationResult,
  type Reaction,
  RelayError,
  type SearchHit,
  type SendResult,
  type ToolDefinition,
  type WelcomePayload,
} from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';
import type {
  CallOptions,
  HistoryOptions,
  Inbox,
  InboxOptions,
  InvokeOptions,
  RelayEvents,
  ReplyOptions,
  SearchOptions,
  SendAndWaitOptions,
  SendOptions,
  WhoOptions,
} from '../options.ts';
import { Agents } from './agents.ts';
import { call } from './calls/call.ts';
import { Consents } from './calls/consents.ts';
import { invoke } from './calls/invoke.ts';
import { serveTools } from './calls/serve-tools.ts';
import type { ExposedTool, RegisteredAction, ServedTools } from './calls/served-tools.ts';
import type { ToolSchema } from './calls/tool-schema.ts';
import { Channels } from './channels.ts';
import { ask } from './messages/ask.ts';
import { download, upload } from './messages/attachments.ts';
import { followProject } from './messages/follow-project.ts';
import { HeldMessages } from './messages/held.ts';
import { unanswered } from './messages/unanswered.ts';
import { waitForMail } from './messages/wait-for-mail.ts';
import { allPages } from './pages.ts';
import { Paths } from './paths.ts';
import { Servers } from './servers.ts';
import { Prompts } from './terminals/prompts.ts';
import { Terminals } from './terminals/terminals.ts';
import { Workers } from './terminals/workers.ts';
import { Workspaces } from './workspaces.ts';

/** A client of the relay; created by `connect`. */
export class Relay {
  readonly #session: ClientSession;
  readonly #tools: ServedTools;
  readonly channels: Channels;
  readonly consents: Consents;
  readonly held: HeldMessages;
  readonly agents: Agents;
  readonly paths: Paths;
  readonly servers: Servers;
  readonly prompts: Prompts;
  readonly terminals: Terminals;
  readonly workers: Workers;
  readonly workspaces: Workspaces;

  constructor(session: ClientSession) {
    this.#session = session;
    this.channels = new Channels(session);
    this.consents = new Consents(session);
    this.held = new HeldMessages(session);
    this.agents = new Agents(session);
    this.paths = new Paths(session);
    this.servers = new Servers(session);
    this.prompts = new Prompts(session);
    this.terminals = new Terminals(session);
    this.workers = new Workers(session);
    this.workspaces = new Workspaces(session);
    this.#tools = serveTools(session);
  }

  get state(): 'connected' | 'reconnecting' | 'closed' {
    const { state } = this.#session;
    return state === 'connecting' ? 'reconnecting' : state;
  }

  /** The agent name; undefined for an observer. */
  get name(): string | undefined {
    return this.welcome.agent?.name;
  }

  get project(): string {
    return this.welcome.project;
  }

  /** The daemon's WELCOME of the latest connection. */
  get welcome(): WelcomePayload {
    return this.#session.welcome;
  }

  /** The token issued for a new name. Save it: it is shown once and proves who you are. */
  get agentToken(): string | undefined {
    return this.#session.agentToken;
  }

  /** Sends a message to an address, or to a group by its names; resolves when it is on disk. */
  send(to: string | string[], content: string, { id, ...options }: SendOptions = {}): Promise<SendResult> {
    return this.#session.request('SEND', { to, content, ...options }, id);
  }

  /** Sends a message and waits for the answer, which counts as read. */
  async sendAndWait(to: string, content: string, options: SendAndWaitOptions = {}): Promise<Message> {
    const answer = await ask(this.#session, to, content, options).catch(async (error: unknown) => {
      throw await unanswered(this.#session, error);
    });
    // Return the answer in any case. If it cannot be marked, it stays unread in the inbox.
    await this.read(answer.id).catch(() => 0);
    return answer;
  }

  /** Replies to a message in its conversation and thread. */
  reply(messageId: string, content: string, { id, ...options }: ReplyOptions = {}): Promise<SendResult> {
    return this.#session.request('SEND', { replyTo: messageId, content, ...options }, id);
  }

  /** The messages in the inbox, oldest first; they are marked read once they have arrived here. */
  async inbox({
    unreadOnly,
    markRead = true,
    take = markRead,
    ...filter
  }: InboxOptions = {}): Promise<Inbox> {
    const { messages, unread } = await this.request('INBOX', { ...filter, unread_only: unreadOnly, take });
    if (!markRead) return { messages, unread };
    const fresh = messages.filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
    await this.read(fresh, { path: 'pull' });
    return { messages, unread: unread - fresh.length };
  }

  /** A page of what this client can see, in order: the newest messages, or those at a cursor. */
  history(options: HistoryOptions = {}): Promise<OperationResult<'HISTORY'>> {
    return this.request('HISTORY', options);
  }

  /** How many messages were sent per minute in the project, or by one agent, until now; for the owner. */
  messageCounts(
    options: { minutes?: number; agent?: string } = {},
  ): Promise<OperationResult<'MESSAGE_COUNTS'>> {
    return this.request('MESSAGE_COUNTS', options);
  }

  /** A thread, by its name or by any message in it, oldest first. */
  thread(id: string, options: { limit?: number } = {}): Promise<OperationResult<'THREAD'>> {
    return this.request('THREAD', { id, ...options });
  }

  /** Messages that contain all the words, newest first; a phrase in double quotes stays together. */
  async search(query: string, options: SearchOptions = {}): Promise<SearchHit[]> {
    return (await this.request('SEARCH', { query, ...options })).hits;
  }

  /** This agent's direct and group conversations, latest first. */
  async conversations(options: { limit?: number } = {}): Promise<ConversationInfo[]> {
    return (await this.request('CONVERSATIONS', options)).conversations;
  }

  /** Reacts to a message with an emoji (or a name such as `:eyes:`); resolves with all its reactions. */
  async react(message: string, emoji: string): Promise<Reaction[]> {
    return (await this.request('REACT', { message, emoji })).reactions;
  }

  async unreact(message: string, emoji: string): Promise<Reaction[]> {
    return (await this.request('REACT', { message, emoji, remove: true })).reactions;
  }

  /** Who has read a message, and who has not yet. */
  readers(message: string): Promise<OperationResult<'READERS'>> {
    return this.request('READERS', { message });
  }

  /** Erases the content of a message, for its sender and the owner. */
  async redact(message: string, options: { reason?: string } = {}): Promise<void> {
    await this.request('REDACT', { message, ...options });
  }

  /** Uploads a file; its id goes into the `attachments` of a message. */
  attach(name: string, content: Uint8Array<ArrayBuffer>, mediaType?: string): Promise<AttachmentInfo> {
    return upload(this.#session, name, content, mediaType);
  }

  /** A file attached to a message this client can see. */
  fetchAttachment(id: string): Promise<{ attachment: AttachmentInfo; content: Uint8Array<ArrayBuffer> }> {
    return download(this.#session, id);
  }

  /** The agents of the project. */
  who({ includeIdle, ...options }: WhoOptions = {}): Promise<AgentInfo[]> {
    return allPages(async (cursor) => {
      const { agents, next } = await this.request('WHO', { ...options, include_idle: includeIdle, cursor });
      return { entries: agents, next };
    });
  }

  /**
   * Chooses when this agent, or `agent`, gets its messages while it works; `undefined` for the default. Others than the agent
   * itself have to be people.
   */
  setAttention(
    attention: Attention | undefined,
    options: { agent?: string } = {},
  ): Promise<OperationResult<'AGENT_ATTENTION'>> {
    return this.request('AGENT_ATTENTION', { ...options, ...(attention && { attention }) });
  }

  /** The connected agents that have a capability or a tool; with neither, all that offer something. */
  discover(wanted: { capability?: string; tool?: string } = {}): Promise<AgentOffer[]> {
    return allPages(async (cursor) => {
      const { agents, next } = await this.request('DISCOVER', { ...wanted, cursor });
      return { entries: agents, next };
    });
  }

  /** The tools of an agent. */
  async tools(agent: string): Promise<OfferedTool[]> {
    return allPages(async (cursor) => {
      const { tools, next } = await this.request('TOOLS', { agent, cursor });
      return { entries: tools, next };
    });
  }

  /**
   * Lets others call a tool of this agent; resolves when they can, with a function that removes it. After a reconnect
   * it is there again.
   */
  exposeTool<Input extends ToolSchema, Output extends ToolSchema = ToolSchema>(
    tool: ExposedTool<Input, Output>,
  ): Promise<() => Promise<void>> {
    return this.#tools.expose(tool as unknown as ExposedTool);
  }

  /**
   * Calls `Agent.tool`, or a tool of an MCP server of the daemon, and resolves with its result. If the connection breaks
   * meanwhile, it rejects with `Connection`: the tool may have run, and is not called again. If there is no such tool but an
   * action of that name, it is invoked, and recorded like any invocation.
   */
  call(target: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<unknown> {
    return call(this.#session, target, args, options);
  }

  /**
   * Performs an action for others, under its own name in the project: `NameTaken` if another agent has it. Each becomes
   * a tool in the MCP clients of those it is available to. Resolves with a function that removes it.
   */
  registerAction<Input extends ToolSchema, Output extends ToolSchema = ToolSchema>(
    action: RegisteredAction<Input, Output>,
  ): Promise<() => Promise<void>> {
    return this.#tools.register(action as unknown as RegisteredAction);
  }

  /** The actions that this agent may invoke. */
  actions(): Promise<ActionInfo[]> {
    return allPages(async (cursor) => {
      const { actions, next } = await this.request('ACTIONS', { cursor });
      return { entries: actions, next };
    });
  }

  /**
   * Invokes an action, or a tool as `Agent.tool`. It is performed at most once, whatever happens to this client; resolves
   * when it has started, or with `wait` when it has ended, with its state at that time.
   */
  invoke(
    name: string,
    input: Record<string, unknown> = {},
    options: InvokeOptions = {},
  ): Promise<InvocationInfo> {
    return invoke(this.#session, name, input, options);
  }

  /** An invocation that this agent made or performs. */
  async invocation(id: string): Promise<InvocationInfo> {
    return (await this.request('INVOCATION', { invocationId: id })).invocation;
  }

  /** The latest of them, newest first; for the owner, of all agents. */
  async invocations(options: { limit?: number } = {}): Promise<InvocationInfo[]> {
    return (await this.request('INVOCATIONS', options)).invocations;
  }

  status(): Promise<DaemonStatus> {
    return this.request('STATUS', {});
  }

  /** Delivery status of a message, per recipient. */
  trace(id: string): Promise<OperationResult<'TRACE'>> {
    return this.request('TRACE', { id });
  }

  /** Replaces what this agent offers; repeated after a reconnect. */
  async announce({
    capabilities = [],
    tools = [],
  }: {
    capabilities?: Capability[];
    tools?: ToolDefinition[];
  }): Promise<void> {
    await this.request('ANNOUNCE', { kind: 'capability_announcement', capabilities, tools });
    Object.assign(this.#session.hello, { capabilities, tools });
  }

  /** Resolves when there are unread messages, now or later. An agent has one waiter at a time. */
  waitForMail(options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    return waitForMail(this.#session, options);
  }

  /** Marks messages as read; resolves with how many were unread. */
  read(ids: string | string[], { path }: { path?: DeliveryPath } = {}): Promise<number> {
    return this.#acknowledge(ids, 'read', path);
  }

  /** Tells the senders that the messages were handled. */
  ack(ids: string | string[], { path }: { path?: DeliveryPath } = {}): Promise<number> {
    return this.#acknowledge(ids, 'acked', path);
  }

  async #acknowledge(
    ids: string | string[],
    state: 'read' | 'acked',
    path: DeliveryPath | undefined,
  ): Promise<number> {
    const messages = typeof ids === 'string' ? [ids] : ids;
    if (messages.length === 0) return 0;
    return (await this.request('ACK', { messages, state, path })).changed;
  }

  /** Listens until the function it returns is called. */
  on<Name extends keyof RelayEvents>(
    name: Name,
    listener: (...values: RelayEvents[Name]) => void,
  ): () => void {
    if (name === 'message') return this.#session.deliveries.listen(listener as (message: Message) => void);
    return this.#session.events.on(name, listener);
  }

  /** Listens to the next one only. */
  once<Name extends keyof RelayEvents>(
    name: Name,
    listener: (...values: RelayEvents[Name]) => void,
  ): () => void {
    const stop = this.on(name, (...values) => {
      stop();
      listener(...values);
    });
    return stop;
  }

  /**
   * This agent's messages, one at a time. Asking for the next, or leaving the loop, confirms the last one;
   * until then the daemon counts it as not accepted. Throws if there will never be any.
   */
  async *messages(): AsyncGenerator<Message, void, void> {
    if (this.name === undefined)
      throw new RelayError('AgentNameRequired', 'This client is not an agent and receives no messages.');
    if (this.#session.hello.paths) {
      throw new RelayError('InvalidRequest', 'This client claims its messages; none are pushed to it.', {
        next: 'Take them with relay.paths.claim, or connect without paths.',
      });
    }
    yield* this.#session.deliveries.iterate();
  }

  /**
   * Every message of the project from now on, or after a sequence number, for its owner. It starts when the iteration
   * starts; a client has one at a time.
   */
  tail(options: { after?: number } = {}): AsyncGenerator<Message, void, void> {
    return followProject(this.#session, options);
  }

  /** Asks for the events of the project, also after a reconnect. */
  async watch(): Promise<void> {
    await this.request('WATCH', {});
    this.#session.watching = true;
  }

  /** Any request of the protocol. */
  request<Name extends OperationName>(
    operation: Name,
    params: OperationInput<Name>,
  ): Promise<OperationResult<Name>> {
    return this.#session.request(operation, params);
  }

  /**
   * Confirms accepted messages, then closes. Open requests get up to `waitMs` (default: 0) for their answers; those without
   * one fail with `Cancelled`.
   */
  close({ waitMs = 0 }: { waitMs?: number } = {}): Promise<void> {
    return this.#session.close(waitMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
