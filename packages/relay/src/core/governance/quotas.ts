import { limitReached, type RelayError, type ToolDefinition } from '@agent-relay/protocol';
import type { AgentProfile } from '../ports/store/agents.ts';
import type { AddedReaction } from '../ports/store/reactions.ts';
import type { Principal } from '../principal.ts';
import { type Account, accountIn, callerAccount, connectionAccount, LOCAL } from './accounts.ts';
import { Tally } from './tally.ts';

/** How much one client may store. Each is the setting `quotas.<name>`. */
export interface QuotaLimits {
  /** The profile of an agent, without its tools, in bytes of JSON. */
  profileBytes: number;
  /** One tool of an agent. */
  toolBytes: number;
  tools: number;
  /** All tools of an agent together. */
  toolsBytes: number;
  /** The tools and actions that the connections of an account handle calls of: they are in memory. */
  servedBytes: number;
  /** Names that one key may have registered in a workspace. */
  agentsPerKey: number;
  /** Connections of one key from outside this machine. */
  connectionsPerKey: number;
  /** Names that the user's own programs may have registered in a workspace. */
  localAgents: number;
  /** Channels that an account may have created, including archived ones. */
  channels: number;
  /** Files of an account. */
  attachments: number;
  attachmentBytes: number;
  /** Reactions of one agent on one message. */
  reactions: number;
  /** Reactions of all agents on one message. */
  messageReactions: number;
  /** Messages whose answer one agent waits for. */
  awaits: number;
  /** Spawned agents of one account that run at the same time; those of a worker count for the agent that spawned it. */
  spawns: number;
  /** Calls of one account that are not finished. */
  calls: number;
  /** Calls inside each other. */
  callDepth: number;
  /** The arguments of a call, or its result. */
  callBytes: number;
  /** The arguments of all calls of one account that are not finished: they are in memory. */
  openCallBytes: number;
  /** Terminals that one account sees at the same time. */
  viewers: number;
  /** Ended invocations kept per account; older ones are deleted. */
  invocations: number;
  /** Their inputs and results. */
  invocationBytes: number;
}

const SHARED = 'The agents of one workspace key count together.';

/** Enforces all quotas. Its own counts are in memory; callers pass the others. */
export class Quotas {
  readonly limits: QuotaLimits;
  /** Registered names, and those being registered. */
  readonly agents = new Tally();
  readonly channels = new Tally();
  readonly #connections = new Tally();
  /** Awaited messages that are being sent. */
  readonly #asking = new Tally();
  /** Agents that are being spawned. */
  readonly #spawning = new Tally();
  readonly #served = new Tally();
  readonly #calls = new Tally();
  readonly #callBytes = new Tally();
  readonly #viewers = new Tally();

  constructor(limits: QuotaLimits) {
    this.limits = limits;
  }

  checkProfile({ cli, task, parent, capabilities }: AgentProfile): void {
    const { profileBytes } = this.limits;
    if (bytesOf({ cli, task, parent, capabilities }) <= profileBytes) return;
    throw limitReached(
      'quotas.profileBytes',
      profileBytes,
      `The profile of an agent can have ${profileBytes} bytes.`,
      'Shorten its task or capabilities.',
    );
  }

  /** What is kept of a run, also in memory: the latest of each agent. */
  checkRun(run: { cwd: string; args: readonly string[] }): void {
    const { profileBytes } = this.limits;
    if (bytesOf(run) <= profileBytes) return;
    throw limitReached(
      'quotas.profileBytes',
      profileBytes,
      `The directory and the arguments of a program can have ${profileBytes} bytes.`,
      'Put long arguments in a file, or send them as a message.',
    );
  }

  checkTools(tools: ToolDefinition[]): void {
    const { tools: most, toolBytes, toolsBytes } = this.limits;
    if (tools.length > most) {
      throw limitReached('quotas.tools', most, `An agent can offer ${most} tools.`, 'Offer fewer tools.');
    }
    let all = 0;
    for (const tool of tools) {
      const bytes = bytesOf(tool);
      all += bytes;
      if (bytes > toolBytes) {
        throw limitReached(
          'quotas.toolBytes',
          toolBytes,
          `The tool "${tool.name}" has ${bytes} bytes; the limit is ${toolBytes}.`,
          'Shorten its description or its schema.',
        );
      }
    }
    if (all > toolsBytes) {
      throw limitReached(
        'quotas.toolsBytes',
        toolsBytes,
        `The tools have ${all} bytes in total; the limit is ${toolsBytes}.`,
        'Offer fewer or shorter tools.',
      );
    }
  }

  /** Counts what a connection handles calls of from now on, in place of what it did before. */
  serving(
    workspaceId: number,
    account: Account,
    before: readonly ToolDefinition[],
    after: readonly ToolDefinition[],
  ): void {
    const { servedBytes } = this.limits;
    const refusal = () =>
      limitReached(
        'quotas.servedBytes',
        servedBytes,
        `The tools that an agent serves can have ${servedBytes} bytes in total. ${SHARED}`,
        'Serve fewer or shorter tools.',
      );
    const whose = accountIn(workspaceId, account);
    this.#served.replace(whose, bytesOf(before), bytesOf(after), servedBytes, refusal);
  }

  /** Counts a name that is being registered until the returned function is called. */
  registering(workspaceId: number, account: Account): () => void {
    const [setting, limit, who] =
      account === LOCAL
        ? (['quotas.localAgents', this.limits.localAgents, 'The programs of one user'] as const)
        : (['quotas.agentsPerKey', this.limits.agentsPerKey, 'One key'] as const);
    return this.agents.reserve(accountIn(workspaceId, account), limit, () =>
      limitReached(
        setting,
        limit,
        `${who} can register ${limit} names in a project.`,
        'Use a registered name, or remove one with: agent-relay agent remove NAME.',
      ),
    );
  }

  /** Counts a connection until the returned function is called. */
  connecting(principal: Principal): () => void {
    const account = connectionAccount(principal);
    if (account === undefined) return nothing;
    const { connectionsPerKey } = this.limits;
    return this.#connections.reserve(accountIn(principal.workspace.id, account), connectionsPerKey, () =>
      limitReached(
        'quotas.connectionsPerKey',
        connectionsPerKey,
        `The agents of one key can have ${connectionsPerKey} connections.`,
        'Close one you no longer need.',
      ),
    );
  }

  /** Counts a channel that is being created until the returned function is called. */
  creatingChannel(workspaceId: number, account: Account): () => void {
    const { channels } = this.limits;
    return this.channels.reserve(accountIn(workspaceId, account), channels, () =>
      limitReached(
        'quotas.channels',
        channels,
        `An agent can create ${channels} channels, including archived ones. ${SHARED}`,
        'Use an existing channel.',
      ),
    );
  }

  /** `use` is what the account would have with the new file. */
  checkAttachments(use: { files: number; bytes: number }): void {
    const { attachments, attachmentBytes } = this.limits;
    if (use.files > attachments) {
      throw limitReached(
        'quotas.attachments',
        attachments,
        `An agent can have ${attachments} files in a project. ${SHARED}`,
        'Send the path of the file instead.',
      );
    }
    if (use.bytes > attachmentBytes) {
      throw limitReached(
        'quotas.attachmentBytes',
        attachmentBytes,
        `The files of an agent can have ${attachmentBytes} bytes in total. ${SHARED}`,
        'Send the path of the file instead.',
      );
    }
  }

  checkReaction(outcome: AddedReaction): void {
    const { reactions, messageReactions } = this.limits;
    if (outcome === 'agent full') {
      throw limitReached(
        'quotas.reactions',
        reactions,
        `An agent can add ${reactions} reactions to a message.`,
        'Remove one first.',
      );
    }
    if (outcome === 'message full') {
      throw limitReached(
        'quotas.messageReactions',
        messageReactions,
        `A message can have ${messageReactions} reactions.`,
        'Send a reply instead.',
      );
    }
  }

  /** Counts an agent that is being spawned until the function it returns is called; `live` are running already. */
  spawning(workspaceId: number, account: Account, live: number): () => void {
    const { spawns } = this.limits;
    return this.#spawning.reserve(accountIn(workspaceId, account), spawns - live, () =>
      limitReached(
        'quotas.spawns',
        spawns,
        `One agent may have ${spawns} workers at once, those of its workers included.`,
        'Release one that is done.',
      ),
    );
  }

  /** Counts a message with `await` until the returned function is called; `open` are already awaited. */
  asking(agentId: number, open: number): () => void {
    const { awaits } = this.limits;
    return this.#asking.reserve(String(agentId), awaits - open, () =>
      tooManyAwaits(awaits, 'Wait for one of them, or send the message without waiting.'),
    );
  }

  /** Throws if a caller has too many calls that people are asked about. */
  checkConsents(open: number): void {
    const { awaits } = this.limits;
    if (open >= awaits)
      throw tooManyAwaits(awaits, 'Wait until somebody has decided about one of your calls.');
  }

  /** Counts a call, and the bytes of its arguments, until the function it returns is called. */
  calling(principal: Principal, args?: unknown): () => void {
    const { calls, openCallBytes } = this.limits;
    const account = accountIn(principal.workspace.id, callerAccount(principal));
    const next = 'Wait for one of them to finish.';
    const uncount = this.#calls.reserve(account, calls, () =>
      limitReached('quotas.calls', calls, `One agent may have ${calls} calls open at once. ${SHARED}`, next),
    );
    const refusal = () => {
      uncount();
      const text = `The arguments of an agent's open calls may have ${openCallBytes} bytes in total. ${SHARED}`;
      return limitReached('quotas.openCallBytes', openCallBytes, text, next);
    };
    const free = this.#callBytes.reserve(account, openCallBytes, refusal, bytesOf(args));
    return () => {
      uncount();
      free();
    };
  }

  /** Counts a terminal that is seen until the function it returns is called. */
  viewing(principal: Principal): () => void {
    const { viewers } = this.limits;
    const account = accountIn(principal.workspace.id, callerAccount(principal));
    return this.#viewers.reserve(account, viewers, () =>
      limitReached(
        'quotas.viewers',
        viewers,
        `One agent or person can see ${viewers} terminals at once. ${SHARED}`,
        'Detach from one of them.',
      ),
    );
  }

  checkCallDepth(depth: number): void {
    const { callDepth } = this.limits;
    if (depth <= callDepth) return;
    throw limitReached(
      'quotas.callDepth',
      callDepth,
      `Calls may be ${callDepth} deep; this one would be at depth ${depth}.`,
      'Return a result instead of calling further.',
    );
  }

  /** `what`: the arguments, or the result. */
  checkCallBytes(value: unknown, what: string): void {
    const { callBytes } = this.limits;
    const bytes = bytesOf(value);
    if (bytes <= callBytes) return;
    throw limitReached(
      'quotas.callBytes',
      callBytes,
      `${what} of a call may have ${callBytes} bytes; this has ${bytes}.`,
      'Put the content in a file and pass its path.',
    );
  }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const nothing = (): void => undefined;

const tooManyAwaits = (awaits: number, next: string): RelayError =>
  limitReached('quotas.awaits', awaits, `An agent can wait for ${awaits} answers at once.`, next);
