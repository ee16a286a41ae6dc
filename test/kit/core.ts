import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newAgentToken } from '@agent-relay/platform/secrets';
import type { RelayError } from '@agent-relay/protocol';
import type { Introduction } from '../../packages/relay/src/core/directory/introduction.ts';
import { keyAccount } from '../../packages/relay/src/core/governance/accounts.ts';
import type { QuotaLimits } from '../../packages/relay/src/core/governance/quotas.ts';
import { InProcessBus } from '../../packages/relay/src/core/in-process/bus.ts';
import { InProcessDirectory } from '../../packages/relay/src/core/in-process/directory.ts';
import { createOperations, type Operations } from '../../packages/relay/src/core/operations/index.ts';
import type { Bus } from '../../packages/relay/src/core/ports/bus.ts';
import type { Directory } from '../../packages/relay/src/core/ports/directory.ts';
import type { Workspace } from '../../packages/relay/src/core/ports/store/workspaces.ts';
import type { Principal } from '../../packages/relay/src/core/principal.ts';
import { createRelay, type Relay, type RelayOptions } from '../../packages/relay/src/core/relay.ts';
import type { SignInLimits } from '../../packages/relay/src/core/sign-in/page-sessions.ts';
import { GitWorktrees } from '../../packages/relay/src/daemon/worktrees/git-worktrees.ts';
import { openStore } from '../../packages/relay/src/store/open.ts';
import { ManualClock } from './manual-clock.ts';
import { Participant } from './participant.ts';
import { ScriptedProcesses } from './scripted-processes.ts';

export type { Participant };

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
  servedBytes: 131_072,
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
  openCallBytes: 16_384,
  viewers: 5,
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
  readonly worktrees: GitWorktrees;
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
    worktrees,
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
  startedWith: () => ({ directory: '/home/petra/shop', variables: {} }),
  page: () => 'http://127.0.0.1:3888',
  openSocket: async ({ directory }: Workspace) => `/run/${directory}.sock`,
  socketPath: ({ name }: Workspace) => `/run/${name}.sock`,
  forget: async () => undefined,
};
