import { safeText } from './text/text.ts';

/**
 * The error catalogue. Every error that a user, an agent or a program can get has an entry here, and
 * `docs/errors.md` documents each of them (a test compares the two).
 *
 * `next` is the default next step; the code that raises the error may give a better one.
 */
export interface ErrorEntry {
  /** What the code means, in one sentence. */
  readonly meaning: string;
  /** What to do about it. */
  readonly next: string;
  /** True when the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** Exit code of the command line. */
  readonly exit: number;
  /** HTTP status. */
  readonly http: number;
}

const badInput = { retryable: false, exit: 2, http: 400 } as const;
const notFound = { retryable: false, exit: 4, http: 404 } as const;
const denied = { retryable: false, exit: 5, http: 403 } as const;
const conflict = { retryable: false, exit: 2, http: 409 } as const;
const later = { retryable: true, exit: 7, http: 503 } as const;

export const ERRORS = {
  DaemonNotRunning: {
    meaning: 'No daemon answered for this project.',
    next: 'Start it with: agent-relay daemon start',
    retryable: true,
    exit: 3,
    http: 503,
  },
  Connection: {
    ...later,
    meaning: 'The connection to the daemon was lost or could not be opened.',
    next: 'Check it with: agent-relay daemon status',
    exit: 3,
  },
  Timeout: {
    meaning: 'No answer arrived in time.',
    next: 'Try again, or set a longer timeout.',
    retryable: true,
    exit: 6,
    http: 504,
  },
  Cancelled: {
    meaning: 'The caller cancelled the operation.',
    next: 'Nothing to do.',
    retryable: false,
    exit: 6,
    http: 499,
  },
  ShuttingDown: {
    ...later,
    meaning: 'The daemon is shutting down and accepts no new requests.',
    next: 'Try again when the daemon is back.',
  },
  StoreUnavailable: {
    ...later,
    meaning: 'The database write failed; nothing was stored.',
    next: 'See the reason in: agent-relay daemon logs',
  },
  DatabaseUnusable: {
    meaning: 'The database is damaged, was written by a newer version, or its file was deleted or replaced.',
    next: 'Stop the daemon and restore the database from a backup.',
    retryable: false,
    exit: 1,
    http: 500,
  },
  DatabaseInUse: {
    ...conflict,
    meaning: 'Another daemon uses the database.',
    next: 'Stop that daemon (agent-relay daemon stop), or use another database (--database). If its machine is gone, try again in a minute.',
  },
  DiskFull: {
    ...later,
    meaning: 'The disk that holds the database is full; nothing was stored. Reading still works.',
    next: 'Free some space. Sending then works again, without a restart.',
  },
  Overloaded: {
    ...later,
    meaning: 'Too many requests are open at once.',
    next: 'Wait for answers before sending more.',
    http: 429,
  },
  Internal: {
    meaning: 'Unexpected internal error.',
    next: 'Please report it with the output of: agent-relay daemon logs',
    retryable: false,
    exit: 1,
    http: 500,
  },

  CommandNotFound: {
    ...notFound,
    meaning: 'The program to run does not exist or is not in PATH.',
    next: 'Install it, or give its path.',
  },
  UnknownCli: {
    ...badInput,
    meaning: 'The relay does not know an agent CLI with that name.',
    next: 'Use one of the names in the message, or add yours to "clis" in settings.json.',
  },
  SpawnFailed: {
    meaning: "The agent's program could not be started, or ended before it was ready.",
    next: "Try again. If it fails again, see hosts.log in the directory of the daemon's log.",
    retryable: false,
    exit: 1,
    http: 502,
  },
  NoWorktree: {
    ...conflict,
    meaning: 'A git worktree for the agent could not be created.',
    next: 'Spawn the agent without a worktree.',
  },
  SetupFailed: {
    meaning: 'The set-up command of the worktree failed, so the agent was not started.',
    next: 'Run the command in a worktree yourself to see why: git worktree add ../try HEAD',
    retryable: false,
    exit: 1,
    http: 502,
  },
  TerminalBusy: {
    ...conflict,
    meaning: 'Someone else is typing in this terminal.',
    next: 'Watch it with --watch, or take it over with --take.',
  },
  PromptChanged: {
    ...conflict,
    meaning: 'The permission prompt has changed or was answered; nothing was sent.',
    next: 'See what the agent asks now: agent-relay prompts list',
  },
  PromptTooLong: {
    ...conflict,
    meaning:
      'The permission prompt is too long to be shown whole, so it can be allowed only in its terminal.',
    next: 'Look at it in its terminal: agent-relay attach NAME',
  },
  NotResumable: {
    ...conflict,
    meaning: 'The agent cannot be resumed.',
    next: 'Release it and spawn a new one.',
  },
  NotRunning: {
    ...conflict,
    meaning: 'The agent has no program in a terminal of the relay.',
    next: 'See which agents have one: agent-relay who --all',
  },
  AgentNotFound: {
    ...notFound,
    meaning: 'The project has no agent with that name.',
    next: 'List the agents with: agent-relay who --all',
  },
  ChannelNotFound: {
    ...notFound,
    meaning: 'The project has no channel with that name.',
    next: 'List the channels with: agent-relay channel list',
  },
  ProjectNotFound: {
    ...notFound,
    meaning: 'This daemon has no project (workspace) with that name.',
    next: 'List them with: agent-relay workspace list',
  },
  MessageNotFound: {
    ...notFound,
    meaning: 'There is no message with that id, or you cannot see it.',
    next: 'Check the id. An agent can only look up messages it sent or received.',
  },
  CommitNotFound: {
    ...notFound,
    meaning: 'No kept commit of this repository has this id.',
    next: 'List them with: agent-relay kept list',
  },
  KeyNotFound: {
    ...notFound,
    meaning: 'The workspace has no such key, or it is already revoked.',
    next: 'List the keys with: agent-relay workspace key list',
  },

  InvalidAddress: {
    ...badInput,
    meaning: 'The address is not valid.',
    next: 'Use Name or @Name, #channel, *, project:Name, project:lead, project:#channel, project:* or *:*',
  },
  InvalidName: {
    ...badInput,
    meaning: 'The name is not valid.',
    next: 'Use letters, digits, _ and -, starting with a letter or digit, 64 characters at most.',
  },
  ReservedName: {
    ...badInput,
    meaning: 'The name is reserved for the relay itself.',
    next: 'Choose another name.',
  },
  LookAlikeName: {
    ...badInput,
    meaning: 'The name looks too much like another one.',
    next: 'Use plain ASCII letters, and a name that does not look like that of another agent.',
  },
  ChannelArchived: {
    ...conflict,
    meaning: 'The channel is archived and read-only.',
    next: 'Reopen it with: agent-relay channel archive --undo NAME',
  },
  ChannelExists: {
    ...conflict,
    meaning: 'A channel with that name already exists.',
    next: 'Join it instead.',
  },
  NotAMember: {
    ...denied,
    meaning: 'You are not a member of the channel.',
    next: 'Join it first.',
  },
  AttachmentNotFound: {
    ...notFound,
    meaning: 'There is no file with that id, or you cannot see it.',
    next: 'Check the id. You can see a file if you can see a message it is attached to.',
  },
  AttachmentTooLarge: {
    ...badInput,
    meaning: 'The file is too large, or the workspace has no room left for it.',
    next: 'Send the path of the file instead.',
    http: 413,
  },
  LimitReached: {
    meaning: 'You have reached a limit.',
    next: 'Stay below it, or ask the owner of the daemon to raise the setting named in the message.',
    retryable: false,
    exit: 2,
    http: 429,
  },
  RateLimited: {
    ...later,
    meaning: 'You are sending too fast.',
    next: 'Wait as long as the error says, then continue.',
    http: 429,
  },
  MessageHeld: {
    ...conflict,
    meaning: 'The loop governor holds the message: the conversation has no new content.',
    next: 'Stop replying. A person can release it with: agent-relay held release',
  },
  EmptyBody: { ...badInput, meaning: 'The message is empty.', next: 'Add some text.' },
  BodyTooLarge: {
    ...badInput,
    meaning: 'The message is too long.',
    next: 'Shorten it, or put the content in a file and send its path.',
    http: 413,
  },
  InvalidRequest: {
    ...badInput,
    meaning: 'A field of the request is missing, unknown or of the wrong type.',
    next: 'Correct the field named in the message.',
  },
  UnknownOperation: {
    ...badInput,
    meaning: 'The daemon does not know this operation.',
    next: 'Update the client or the daemon, whichever is older.',
  },
  MalformedFrame: {
    ...badInput,
    meaning: 'The data received is not a valid frame.',
    next: 'Send length-prefixed JSON envelopes as described in docs/protocol.md.',
  },
  FrameTooLarge: {
    ...badInput,
    meaning: 'The frame is too large; the connection is closed.',
    next: 'Send smaller frames.',
    http: 413,
  },
  VersionMismatch: {
    ...badInput,
    meaning: 'The client and the daemon have no protocol version in common.',
    next: 'Update the older of the two, then restart it.',
    http: 426,
  },
  InvalidSettings: {
    ...badInput,
    meaning: 'A setting or flag has an invalid value.',
    next: 'Correct the setting named in the message.',
  },
  NotAllowedToRunAs: {
    ...denied,
    meaning: 'A directory, file or socket belongs to another user.',
    next: 'Run the command as the user who owns it.',
  },
  PortInUse: {
    ...conflict,
    meaning: 'Another program is using the port.',
    next: 'Stop that program or choose another port.',
  },
  DaemonRunning: {
    ...conflict,
    meaning: 'A daemon is already running for this data directory.',
    next: 'Use it, or stop it with: agent-relay daemon stop',
  },

  HelloRequired: {
    ...denied,
    meaning: 'The connection has not identified itself.',
    next: 'Send HELLO first.',
    http: 401,
  },
  Unauthorized: {
    ...denied,
    meaning: 'The key or token is wrong, revoked, or belongs to another workspace.',
    next: 'Check the key; create a new one with: agent-relay workspace key create',
    http: 401,
  },
  Forbidden: {
    ...denied,
    meaning: 'Permission denied.',
    next: 'Ask the owner of the workspace.',
  },
  OriginRefused: {
    ...denied,
    meaning: 'The Host or Origin of the request is not allowed.',
    next: 'If you trust it, add it to http.allowedHosts or http.allowedOrigins in the settings.',
  },
  AgentNameRequired: {
    ...badInput,
    meaning: 'This operation needs an agent name.',
    next: 'Set one with --as NAME or RELAY_AGENT_NAME.',
  },
  NameTaken: {
    ...conflict,
    meaning: 'The name is taken, and you did not present its token.',
    next: "Choose another name, or use that agent's token.",
  },
  NameInUse: {
    ...conflict,
    meaning: 'Another session is connected under this name.',
    next: 'Choose another name, or end the other session first.',
  },
  WorkspaceExists: {
    ...conflict,
    meaning: 'A workspace with that name already exists.',
    next: 'Choose another name.',
  },
  IdConflict: {
    ...conflict,
    meaning: 'You already used this id for a different message.',
    next: 'Use a new id. Reuse an id only to resend the same message.',
  },
  MutualAwait: {
    ...conflict,
    meaning: 'The agents would wait for each other forever.',
    next: 'Read your inbox and answer the other agent first.',
  },
  AlreadyWaiting: {
    ...conflict,
    meaning: "Another program is already waiting for this agent's next message.",
    next: 'Stop the other program, or read the inbox without waiting.',
  },
  NotClaimed: {
    ...conflict,
    meaning: 'The path reported on a message it has not claimed.',
    next: 'Claim it first. If CLAIM does not return it, another path has it or it was delivered.',
  },
  AmbiguousProject: {
    ...conflict,
    meaning: 'Several projects are running, and none was chosen.',
    next: 'Choose one with --project or RELAY_PROJECT, or open this directory as one with: agent-relay daemon start',
  },
  BackendNotFound: {
    ...notFound,
    meaning: 'The gateway has no server with that name.',
    next: 'List the servers: agent-relay servers list, or the tool relay_list_servers.',
  },
  BackendExists: {
    ...conflict,
    meaning: 'The gateway already has a server with that name.',
    next: 'Choose another name, or remove the existing server with the tool relay_remove_server.',
  },
  BackendUnavailable: {
    ...later,
    meaning: 'The server behind the gateway cannot be reached, or disconnected during the call.',
    next: 'See the reason: agent-relay servers list, or the tool relay_get_status. The gateway keeps reconnecting; the next call tries at once.',
  },
  ToolNotFound: {
    ...notFound,
    meaning: 'There is no tool, prompt or resource with that name.',
    next: 'List the tools of agents with: agent-relay capabilities, and those of an MCP server with: agent-relay servers tools NAME',
  },
  AgentOffline: {
    ...later,
    meaning: 'The agent is offline. Calls are not queued.',
    next: 'Call it when it is back, or send it a message.',
  },
  InvalidArguments: {
    ...badInput,
    meaning: "The arguments do not match the tool's input schema.",
    next: 'Correct the argument named in the message.',
  },
  ToolFailed: {
    meaning: 'The tool reported an error.',
    next: 'Read the message; it comes from the tool.',
    retryable: false,
    exit: 1,
    http: 502,
  },
  InvalidResult: {
    meaning: 'The tool ran, but its result is too large or does not match its own output schema.',
    next: 'Report it to the person who runs the agent.',
    retryable: false,
    exit: 1,
    http: 502,
  },
  CalleeGone: {
    meaning: 'The agent or MCP server disconnected before it answered the call.',
    next: 'The tool may have run. Check that before you call it again.',
    retryable: false,
    exit: 7,
    http: 502,
  },
  ActionNotFound: {
    ...notFound,
    meaning: 'There is no action with that name, or it is not available to you.',
    next: 'List the actions with: agent-relay actions',
  },
  InvocationNotFound: {
    ...notFound,
    meaning: 'There is no invocation with that id, or it is not yours.',
    next: 'List the invocations with: agent-relay actions --invocations',
  },
  CallEnded: {
    ...conflict,
    meaning: 'The call that needed consent has ended, or was decided before; the reply changes nothing.',
    next: 'Nothing to do. Its caller can call again.',
  },
  Denied: { ...denied, meaning: 'A person did not allow the call.', next: 'Ask the person in charge.' },
  ResultTooLarge: {
    ...badInput,
    meaning: 'The gateway rejected an answer: too large, nested too deeply, or with a duplicate key.',
    next: "Ask for less, or raise the gateway's limit.",
    http: 502,
  },
  InvalidBackendConfig: {
    ...badInput,
    meaning: 'A gateway configuration file has an error at the given line and column.',
    next: 'Fix the file. A running gateway keeps its last valid configuration until then.',
  },
  InvalidClientConfig: {
    ...badInput,
    meaning: "A client's configuration file cannot be edited safely; it was not changed.",
    next: 'Correct the file where the message says, then run the command again.',
  },
  ClientNotFound: {
    ...notFound,
    meaning: 'No supported client was found.',
    next: 'Choose one, for example: agent-relay mcp install -e claude',
  },
  ProgramFailed: {
    meaning: 'A program that this command needs is not installed, or failed.',
    next: 'Install or configure that program.',
    retryable: false,
    exit: 1,
    http: 500,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Facts for programs. Every field is safe to show to the client that gets the error. */
export interface ErrorDetails {
  /** Similar names, when one was not found. */
  suggestions?: string[];
  /** The name of the action that was refused. */
  name?: string;
  /** Which field of the request was wrong. */
  field?: string;
  /** The limit that was reached, and its setting. */
  limit?: number;
  setting?: string;
  /** When a retry makes sense. */
  retryAfterMs?: number;
  /** The choices where the request was ambiguous. */
  choices?: string[];
  /** The message, if it was stored despite the error. */
  messageId?: string;
  /** The invocation, which is still running. */
  invocationId?: string;
  /** Identifies the token the daemon expects, without revealing it. */
  tokenId?: string;
}

/** The payload of an ERROR envelope. `id` is the request it answers, if any. */
export interface ErrorPayload {
  id?: string;
  code: string;
  message: string;
  next: string;
  retryable: boolean;
  details?: ErrorDetails;
}

/** The only error the relay exposes: a catalogue code, what happened, and what to do next. */
export class RelayError extends Error {
  readonly code: ErrorCode;
  readonly next: string;
  readonly details: ErrorDetails | undefined;
  /** True when the same request may succeed later without being changed, and does nothing twice. */
  readonly retryable: boolean;

  constructor(
    code: ErrorCode,
    message?: string,
    options: { next?: string; details?: ErrorDetails; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(
      message ?? ERRORS[code].meaning,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'RelayError';
    this.code = code;
    this.next = options.next ?? ERRORS[code].next;
    this.details = options.details;
    this.retryable = options.retryable ?? ERRORS[code].retryable;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  toPayload(requestId?: string): ErrorPayload {
    return {
      ...(requestId === undefined ? {} : { id: requestId }),
      code: this.code,
      message: this.message,
      next: this.next,
      retryable: this.retryable,
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }

  /** An unknown code, from a newer daemon, becomes `Internal` and keeps the daemon's message. */
  static fromPayload(payload: ErrorPayload): RelayError {
    const code = Object.hasOwn(ERRORS, payload.code) ? (payload.code as ErrorCode) : 'Internal';
    const message = code === payload.code ? payload.message : `${payload.code}: ${payload.message}`;
    return new RelayError(code, message, {
      next: payload.next,
      retryable: payload.retryable,
      ...(payload.details ? { details: payload.details } : {}),
    });
  }
}

/** A limit was reached. `message` says which, `instead` what to do without raising it. */
export const limitReached = (setting: string, limit: number, message: string, instead: string): RelayError =>
  new RelayError('LimitReached', message, {
    next: `${instead} The owner of the daemon can raise "${setting}" in settings.json.`,
    details: { limit, setting },
  });

/** An error as the command line prints it. */
export const errorLines = ({ message, next }: RelayError): string =>
  safeText(`error: ${message}\nnext: ${next}\n`);

export const isRelayError = (error: unknown, code?: ErrorCode): error is RelayError =>
  error instanceof RelayError && (code === undefined || error.code === code);
