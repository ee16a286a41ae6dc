import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newAgentToken } from '@agent-relay/platform/secrets';
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
import type { Introduction } from '../../packages/relay/src/core/directory/introduction.ts';
import { keyAccount } from '../../packages/relay/src/core/governance/accounts.ts';
import type { QuotaLimits } from '../../packages/relay/src/core/governance/quotas.ts';
import { InProcessBus } from '../../packages/relay/src/core/in-process/bus.ts';
import { InProcessDirectory } from '../../packages/relay/src/core/in-process/directory.ts';
import type { Caller, Ongoing, OnlyOne } from '../../packages/relay/src/core/operations/caller.ts';
import { createOperations, type Operations } from '../../packages/relay/src/core/operations/index.ts';
import type { Bus } from '../../packages/relay/src/core/ports/bus.ts';
import type { Directory, PresentConnection } from '../../packages/relay/src/core/ports/directory.ts';
import type { Workspace } from '../../packages/relay/src/core/ports/store/workspaces.ts';
import type { Principal } from '../../packages/relay/src/core/principal.ts';
import { createRelay, type Relay, type RelayOptions } from '../../packages/relay/src/core/relay.ts';
import type { SignInLimits } from '../../packages/relay/src/core/sign-in/page-sessions.ts';
import { GitWorktrees } from '../../packages/relay/src/daemon/worktrees/git-worktrees.ts';
import { openStore } from '../../packages/relay/src/store/open.ts';
import { OngoingOperations } from '../../packages/relay/src/transport/ongoing.ts';
import { ManualClock } from './manual-clock.ts';
import { ScriptedProcesses } from './scripted-processes.ts';

export const MAX_BODY_BYTES = 1000;
export const IDLE_AFTER_MS = 60_000;
export const GONE_AFTER_MS = 30_000;

type Limits = Pick<RelayOptions, 'maxBodyBytes' | 'rateLimit' | 'governor' | 'attachments' | 'quotas'>;

/** Small enough to be met where a test is about them, and large enough for all others. */
export const QUOTAS: QuotaLimits = {
  profileBytes: 16_384,
  toolBytes: 16_384,
  tools: 256,
  toolsBytes: 65_536,
  agentsPerKey: 100,
  connectionsPerKey: 1000,
  localAgents: 20_000,
  channels: 100,
  attachments: 100,
  attachmentBytes: 4 * 1024 * 1024,
  reactions: 20,
  messageReactions: 100,
  awaits: 20,
  spawns: 16,
  calls: 20,
  callDepth: 4,
  callBytes: 4096,
  invocations: 5,
  invocationBytes: 10_000,
};

/** How long a browser stays signed in. */
export const SIGN_IN: SignInLimits = { linkMinutes: 5, sessionDays: 30, idleDays: 7 };

/** No rate limit, so that tests may be quick; the other limits are small, so that they can be met. */
const LIMITS: Limits = {
  maxBodyBytes: MAX_BODY_BYTES,
  rateLimit: { perSecond: 0, burst: 0 },
  governor: { enabled: true, emptyTurns: 6, maxTurns: 200, windowMs: 600_000 },
  attachments: { maxFileBytes: 1024 * 1024, maxWorkspaceBytes: 4 * 1024 * 1024 },
  quotas: QUOTAS,
};

interface CoreOptions extends Partial<Limits> {
  /** `postgres://…` or a file; without it, a SQLite file of its own. */
  database?: string;
  terminals?: Partial<RelayOptions['terminals']>;
  /** What it shares with the other daemons on the same database. */
  shared?: { bus: { join(): Bus }; directory: { join(): Directory } };
}

/** The domain on a real database, without connections. */
export interface TestCore extends AsyncDisposable {
  readonly relay: Relay;
  readonly clock: ManualClock;
  readonly processes: ScriptedProcesses;
  readonly operations: Operations;
  newWorkspace(): Promise<Workspace>;
  /** A connected agent; registers the name the first time. */
  join(workspace: Workspace, name: string, introduction?: Partial<Introduction>): Promise<Participant>;
  /** The same from another machine, with a key of the workspace. */
  joinFromAfar(
    workspace: Workspace,
    name: string,
    introduction?: Partial<Introduction>,
  ): Promise<Participant>;
  /** Somebody there with a key and no name. */
  observerFromAfar(workspace: Workspace): Participant;
  /** The local user, not acting as an agent. */
  owner(workspace: Workspace): Participant;
  /** The same on a page of the dashboard, as a person. */
  ownerOnPage(workspace: Workspace): Promise<Participant>;
  /** Closes the database and opens it again, as a restart of the daemon does. */
  restart(): Promise<void>;
}

let workspaces = 0;
let requests = 0;

export async function openCore({
  database,
  shared,
  terminals,
  ...limits
}: CoreOptions = {}): Promise<TestCore> {
  const directory = mkdtempSync(join(tmpdir(), 'relay-core-'));
  const location = database ?? join(directory, 'relay.db');
  const clock = new ManualClock();
  const processes = new ScriptedProcesses();
  const worktrees = new GitWorktrees(directory);
  const failures: unknown[] = [];
  const open = async () => {
    const store = await openStore(location, {
      onFatal: (error: RelayError) => failures.push(error),
    });
    const relay = await createRelay({
      store,
      clock,
      bus: (shared?.bus ?? new InProcessBus()).join(),
      directory: (shared?.directory ?? new InProcessDirectory(clock, GONE_AFTER_MS)).join(),
      random: Math.random,
      idleAfterMs: IDLE_AFTER_MS,
      ...LIMITS,
      signIn: SIGN_IN,
      person: { name: 'petra', token: async () => newAgentToken() },
      personNames: ['owner', 'petra'],
      node: directory,
      ...limits,
      terminals: { processes, worktrees, clis: {}, anywhere: false, orphans: 'keep', ...terminals },
      onError: (error) => failures.push(error),
    });
    return { relay, operations: createOperations(relay, HOST) };
  };
  let running = await open();
  const connected = new Set<Participant>();
  const close = async () => {
    for (const participant of connected) participant.hangUp();
    connected.clear();
    await running.relay.close();
    await running.relay.store.close();
  };
  const participant = (principal: Principal) => new Participant({ ...running, connected }, principal);
  const identified = async (
    who: Pick<Principal, 'workspace' | 'local' | 'keyId'>,
    name: string,
    introduction: Partial<Introduction>,
  ) => {
    const { agent, issued } = await running.relay.agents.identify(who.workspace, name, {
      byOwner: who.local,
      ...introduction,
    });
    const joined = participant({ ...who, agent, unverified: false, owner: false, pageSessionId: undefined });
    joined.token = introduction.token ?? issued ?? '';
    joined.session = introduction.claim?.session;
    joined.clientSession = introduction.claim?.session;
    joined.connect();
    await joined.listening();
    return joined;
  };
  return {
    get relay() {
      return running.relay;
    },
    get operations() {
      return running.operations;
    },
    clock,
    processes,
    newWorkspace: () => running.relay.createWorkspace(`project-${++workspaces}`),
    join: (workspace, name, introduction = {}) =>
      identified({ workspace, local: true, keyId: undefined }, name, introduction),
    joinFromAfar: (workspace, name, introduction = {}) =>
      identified({ workspace, local: false, keyId: '12345678' }, name, {
        account: keyAccount('12345678'),
        ...introduction,
      }),
    observerFromAfar: (workspace) =>
      participant({ ...observer(workspace), local: false, owner: false, keyId: '12345678' }),
    owner: (workspace) => participant({ ...observer(workspace), local: true, owner: true, keyId: undefined }),
    ownerOnPage: async (workspace) =>
      participant({
        ...observer(workspace),
        agent: await running.relay.agents.person(workspace),
        local: false,
        owner: true,
        keyId: undefined,
        pageSessionId: 'page',
      }),
    async restart() {
      await close();
      clock.forget();
      running = await open();
    },
    async [Symbol.asyncDispose]() {
      await close();
      rmSync(directory, { recursive: true });
      if (failures.length > 0) throw new AggregateError(failures, 'Work that nobody waited for has failed.');
    },
  };
}

/** Somebody without a name. */
const observer = (workspace: Workspace) => ({
  workspace,
  agent: undefined,
  unverified: false,
  pageSessionId: undefined,
});

const HOST = {
  status: () => ({ version: '0.0.0', pid: 1, startedAt: 0 }),
  page: () => 'http://127.0.0.1:3888',
  openSocket: async ({ directory }: Workspace) => `/run/${directory}.sock`,
  socketPath: ({ name }: Workspace) => `/run/${name}.sock`,
  forget: async () => undefined,
};

interface Running {
  relay: Relay;
  operations: Operations;
  /** Whose connections end before the database is closed. */
  connected: Set<Participant>;
}

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
