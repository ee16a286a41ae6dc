import {
  nameKey,
  type OperationName,
  type OperationParams,
  type OperationResult,
  RelayError,
} from '@agent-relay/protocol';
import type { AwaitOutcome, OpenAwait } from './awaits.ts';
import { describeStored } from './messages.ts';
import type { Host } from './ports/host.ts';
import type { Workspace } from './ports/store.ts';
import { type Principal, requireAgent, requireOwner, seesWholeWorkspace } from './principal.ts';
import { readInbox, traceMessage } from './reading.ts';
import type { Relay } from './relay.ts';

/** The connection a request came on, as far as an operation may use it. */
export interface Caller {
  readonly principal: Principal;
  /** Sends the outcome of an awaited message, after the request itself was answered. */
  settleAwait(requestId: string, outcome: AwaitOutcome): void;
  /** Keeps how to give up waiting: the client may ask for it, and the end of the connection does it. */
  holdAwait(requestId: string, giveUp: () => void): void;
  cancelAwait(requestId: string): void;
  /** Starts to push every message of the workspace after `after`. */
  tail(after: number): void;
  /** Starts to push the coming and going of agents. */
  watch(): void;
  /** The client says it has taken its deliveries up to `upTo`; returns up to where they were really pushed to it. */
  accepted(upTo: number): number;
}

type Handler<N extends OperationName> = (
  caller: Caller,
  params: OperationParams<N>,
  requestId: string,
) => OperationResult<N> | Promise<OperationResult<N>>;

export type Operations = { readonly [N in OperationName]: Handler<N> };

const NO_TERMINALS = 'This daemon has no terminal host that could start or stop agents.';
const NO_CALLS = 'This daemon does not route tool calls between agents.';

/** A question asked again after a lost connection: its answer may be stored already. */
async function answerFromStore(relay: Relay, question: Omit<OpenAwait, 'settle'>): Promise<void> {
  const { waiter, target, message } = question;
  const reply = await relay.store.findReply({
    senderId: target.id,
    recipientId: waiter.id,
    after: message.seq,
    thread: message.thread,
    replyTo: message.id,
  });
  if (reply) relay.awaits.answer(describeStored(reply), target.id, waiter.id);
}

/** What each operation does. Parameters are checked already; identity comes from the caller, never from them. */
export function createOperations(relay: Relay, host: Host): Operations {
  const { agents, awaits, clock, deliveries, messages, presence, store, workspaces } = relay;

  const administered = (caller: Caller, name: string | undefined, doing: string): Workspace => {
    requireOwner(caller.principal, doing);
    return name === undefined ? caller.principal.workspace : workspaces.get(name);
  };

  const endConnections = (peers: Iterable<{ revoke(): void }>) => {
    for (const peer of [...peers]) peer.revoke();
  };

  const endKeys = (workspace: Workspace, keyIds: string[]) =>
    endConnections(
      [...presence.peersIn(workspace.id)].filter(
        ({ principal }) => principal.keyId && keyIds.includes(principal.keyId),
      ),
    );

  return {
    SEND: async (caller, params, requestId) => {
      const target = params.await && messages.awaitable(caller.principal, params.to);
      const result = await messages.send(caller.principal, requestId, params);
      if (!params.await || !target) return result;
      const waiter = requireAgent(caller.principal);
      const message = {
        id: result.messageId,
        seq: result.seq,
        thread: result.thread ?? result.messageId,
      };
      const settle = caller.settleAwait.bind(caller, requestId);
      caller.holdAwait(
        requestId,
        awaits.open({ id: requestId, waiter, target, message, settle }, params.await.timeoutMs),
      );
      if (result.duplicate) await answerFromStore(relay, { id: requestId, waiter, target, message });
      return result;
    },
    CANCEL: (caller, { id }) => {
      caller.cancelAwait(id);
      return {};
    },
    INBOX: (caller, params) => readInbox(relay, caller.principal, params),
    WHO: (caller, params) => {
      const { local, workspace: own } = caller.principal;
      const { project = own.name } = params;
      // Before it is looked up: whether there is such a project is none of a remote user's business.
      if (!local && nameKey(project) !== nameKey(own.name)) {
        throw new RelayError('Forbidden', 'Other projects are only shown to local users.');
      }
      const workspace = workspaces.get(project);
      const known = agents.list(workspace).map((agent) => agents.describe(workspace, agent));
      return {
        agents: known.filter(
          ({ status }) =>
            status === 'active' || (status === 'idle' ? params.include_idle : params.includeOffline),
        ),
      };
    },
    STATUS: async (caller) => {
      const { agent, workspace } = caller.principal;
      const socketPath = host.socketPath(workspace);
      return {
        ...host.status(),
        ...presence.count(),
        database: store.kind,
        project: workspace.name,
        ...(socketPath === undefined ? {} : { socketPath }),
        ...(agent ? { agent: agent.name, unread: await store.countUnread(agent.id, clock.now()) } : {}),
      };
    },
    TRACE: (caller, { id }) => traceMessage(relay, caller.principal, id),
    TAIL: async (caller, params) => {
      if (!seesWholeWorkspace(caller.principal))
        requireOwner(caller.principal, 'follow every message of the project');
      const after = params.after ?? (await store.lastSeq(caller.principal.workspace.id));
      caller.tail(after);
      return { after };
    },
    WATCH: (caller) => {
      caller.watch();
      return {};
    },
    ACK: (caller, params) => {
      const agent = requireAgent(caller.principal);
      if ('messages' in params) return deliveries.report(agent, params.messages, params.state, params.path);
      deliveries.accepted(agent, caller.accepted(params.upTo));
      return { changed: 0 };
    },
    ANNOUNCE: async (caller, { capabilities, tools }) => {
      await agents.announce(requireAgent(caller.principal), { capabilities, tools });
      return {};
    },
    CALL: () => {
      throw new RelayError('Unsupported', NO_CALLS);
    },
    RESULT: () => {
      throw new RelayError('Unsupported', NO_CALLS);
    },
    SPAWN: () => {
      throw new RelayError('Unsupported', NO_TERMINALS);
    },
    RELEASE: () => {
      throw new RelayError('Unsupported', NO_TERMINALS);
    },
    WORKSPACE_CREATE: async (caller, { name }) => {
      requireOwner(caller.principal, 'create workspaces');
      const workspace = await workspaces.create(name);
      await workspaces.audit(caller.principal, workspace, 'workspace.created', workspace.name);
      const { key, keyId } = await workspaces.createKey(caller.principal, workspace);
      return { name: workspace.name, key, keyId, socketPath: await host.openSocket(workspace) };
    },
    WORKSPACE_LIST: async (caller) => {
      requireOwner(caller.principal, 'list workspaces');
      const counts = new Map((await store.countAgents()).map((count) => [count.workspaceId, count.agents]));
      return {
        workspaces: workspaces.list().map((workspace) => {
          const socketPath = host.socketPath(workspace);
          return {
            name: workspace.name,
            createdAt: workspace.createdAt,
            agents: counts.get(workspace.id) ?? 0,
            ...(socketPath === undefined ? {} : { socketPath }),
          };
        }),
      };
    },
    PROJECT_OPEN: async (caller, { root, name }) => {
      requireOwner(caller.principal, 'open projects');
      const { workspace, created } = await workspaces.openFor(root, name);
      if (created) await workspaces.audit(caller.principal, workspace, 'workspace.created', workspace.name);
      return { project: workspace.name, socketPath: await host.openSocket(workspace), created };
    },
    KEY_CREATE: (caller, params) => {
      const workspace = administered(caller, params.workspace, 'create keys');
      return workspaces.createKey(caller.principal, workspace);
    },
    KEY_LIST: async (caller, params) => ({
      keys: await workspaces.listKeys(administered(caller, params.workspace, 'list keys')),
    }),
    KEY_ROTATE: async (caller, params) => {
      const workspace = administered(caller, params.workspace, 'rotate keys');
      const rotated = await workspaces.rotateKey(caller.principal, workspace);
      endKeys(workspace, rotated.revoked);
      return rotated;
    },
    KEY_REVOKE: async (caller, params) => {
      const workspace = administered(caller, params.workspace, 'revoke keys');
      endKeys(workspace, await workspaces.revokeKey(caller.principal, workspace, params.keyId));
      return {};
    },
    TOKEN_ROTATE: async (caller, params) => {
      requireOwner(caller.principal, 'replace the token of an agent');
      const agent = agents.get(caller.principal.workspace, params.agent);
      const token = await agents.rotateToken(agent, params.token);
      await workspaces.audit(caller.principal, caller.principal.workspace, 'agent.token_rotated', agent.name);
      endConnections(presence.peersOf(agent.id));
      return { token };
    },
    AUDIT: async (caller, { limit }) => {
      requireOwner(caller.principal, 'read the audit trail');
      const records = await store.listAudit(caller.principal.workspace.id, limit);
      return {
        entries: records.map(({ at, actor, action, subject, detail }) => ({
          at,
          actor,
          action,
          subject,
          ...(detail === undefined ? {} : { detail }),
        })),
      };
    },
  };
}
