import { safeText } from './text.ts';

/**
 * The one catalogue of errors. Every error a user, an agent or a program can meet has an entry here, and
 * `docs/errors.md` documents each of them (a test compares the two).
 *
 * `next` is the default next step; the place that raises the error may give a better one.
 */
export interface ErrorEntry {
  /** What the code means, in one sentence. */
  readonly meaning: string;
  /** What the person or program that got it does next. */
  readonly next: string;
  /** True when the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** The exit code of the command line. */
  readonly exit: number;
  /** The status of an HTTP answer. */
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
    meaning: 'The connection to the daemon broke or could not be made.',
    next: 'Check it with: agent-relay daemon status',
    exit: 3,
  },
  Timeout: {
    meaning: 'The answer did not come within the time allowed.',
    next: 'Try again, or allow more time.',
    retryable: true,
    exit: 6,
    http: 504,
  },
  Cancelled: {
    meaning: 'The caller ended the operation before it was done.',
    next: 'Nothing to do.',
    retryable: false,
    exit: 6,
    http: 499,
  },
  ShuttingDown: {
    ...later,
    meaning: 'The daemon is stopping and takes no new work.',
    next: 'Send it again when the daemon is back.',
  },
  StoreUnavailable: {
    ...later,
    meaning: 'The database could not take the write; nothing of it was stored.',
    next: 'Look at the reason in: agent-relay daemon logs',
  },
  DatabaseUnusable: {
    meaning: 'The database is damaged, was written by a newer version, or its file was deleted or replaced.',
    next: 'Stop the daemon and put a copy of the database back that is in order.',
    retryable: false,
    exit: 1,
    http: 500,
  },
  DiskFull: {
    ...later,
    meaning:
      'The disk that holds the database is full; nothing of the write was stored. Reading still works.',
    next: 'Free some space; sending works again at once.',
  },
  Overloaded: {
    ...later,
    meaning: 'More requests are waiting on this connection than it may have open.',
    next: 'Wait for answers before sending more.',
    http: 429,
  },
  Internal: {
    meaning: 'The relay failed in a way it did not expect.',
    next: 'Please report it with the lines of: agent-relay daemon logs',
    retryable: false,
    exit: 1,
    http: 500,
  },

  CommandNotFound: {
    ...notFound,
    meaning: 'The program to run is not there, or is not in PATH.',
    next: 'Install it, or give the path of its file.',
  },
  AgentNotFound: {
    ...notFound,
    meaning: 'No agent of that name is known in the project.',
    next: 'List the agents with: agent-relay who --all',
  },
  ChannelNotFound: {
    ...notFound,
    meaning: 'No channel of that name exists in the project.',
    next: 'List the channels with: agent-relay channel list',
  },
  ProjectNotFound: {
    ...notFound,
    meaning: 'No project (workspace) of that name is known to this daemon.',
    next: 'List them with: agent-relay workspace list',
  },
  MessageNotFound: {
    ...notFound,
    meaning: 'No message of that id can be seen by you.',
    next: 'Check the id; only messages you sent or received can be looked up by an agent.',
  },
  KeyNotFound: {
    ...notFound,
    meaning: 'The workspace has no such key, or it is revoked already.',
    next: 'List the keys with: agent-relay workspace key list',
  },

  InvalidAddress: {
    ...badInput,
    meaning: 'The address is not one of the forms the relay knows.',
    next: 'Write Name or @Name, #channel, *, project:Name, project:lead, project:#channel, project:* or *:*',
  },
  InvalidName: {
    ...badInput,
    meaning: 'The name breaks the rules for names.',
    next: 'Use letters, digits, _ and -, starting with a letter or digit, 64 characters at most.',
  },
  ReservedName: {
    ...badInput,
    meaning: 'The name is reserved for the relay itself.',
    next: 'Choose another name.',
  },
  LookAlikeName: {
    ...badInput,
    meaning: 'The name could be taken for another one at a glance.',
    next: 'Choose a name of plain letters that no other agent of the project resembles.',
  },
  ChannelArchived: {
    ...conflict,
    meaning: 'The channel is archived: it can be read, not written to.',
    next: 'Open it again with: agent-relay channel archive --undo NAME',
  },
  ChannelExists: { ...conflict, meaning: 'A channel of that name exists.', next: 'Join it instead.' },
  NotAMember: {
    ...denied,
    meaning: 'You are not in the channel.',
    next: 'Join it first.',
  },
  AttachmentNotFound: {
    ...notFound,
    meaning: 'No file of that id can be seen by you.',
    next: 'Check the id; files are seen by those who see a message they hang on.',
  },
  AttachmentTooLarge: {
    ...badInput,
    meaning: 'The file, or all files of the workspace together, are larger than the relay keeps.',
    next: 'Send the path of the file instead.',
    http: 413,
  },
  LimitReached: {
    meaning: 'You have as much of something as one client may have.',
    next: 'Do without it, or ask the owner of the daemon to raise the setting that the message names.',
    retryable: false,
    exit: 2,
    http: 429,
  },
  RateLimited: {
    ...later,
    meaning: 'You send faster than an agent may.',
    next: 'Wait for the time the error names, then go on.',
    http: 429,
  },
  MessageHeld: {
    ...conflict,
    meaning: 'The loop governor keeps the message back: the exchange says nothing new.',
    next: 'Stop answering; a person can release it with: agent-relay held release',
  },
  EmptyBody: { ...badInput, meaning: 'The message has no content.', next: 'Write something to send.' },
  BodyTooLarge: {
    ...badInput,
    meaning: 'The message is longer than the relay stores.',
    next: 'Shorten it, or put the content in a file and send its path.',
    http: 413,
  },
  InvalidRequest: {
    ...badInput,
    meaning: 'The request has a field that is missing, unknown or of the wrong type.',
    next: 'Correct the field that the message names.',
  },
  UnknownOperation: {
    ...badInput,
    meaning: 'This daemon knows no operation of that type.',
    next: 'Update the older of the two: the client or the daemon.',
  },
  MalformedFrame: {
    ...badInput,
    meaning: 'The bytes received are not a frame of the protocol.',
    next: 'Speak length-prefixed JSON envelopes as in docs/protocol.md.',
  },
  FrameTooLarge: {
    ...badInput,
    meaning: 'The frame is larger than the connection accepts; the connection is closed.',
    next: 'Send smaller frames.',
    http: 413,
  },
  VersionMismatch: {
    ...badInput,
    meaning: 'Client and daemon share no version of the protocol.',
    next: 'Restart the older of the two after updating it.',
    http: 426,
  },
  InvalidSettings: {
    ...badInput,
    meaning: 'The settings file or a flag has a value the daemon cannot use.',
    next: 'Correct the setting that the message names.',
  },
  NotAllowedToRunAs: {
    ...denied,
    meaning: 'A directory, file or socket that would be used belongs to another user.',
    next: 'Run the command as the user who owns it.',
  },
  PortInUse: {
    ...conflict,
    meaning: 'Another program listens on the port.',
    next: 'Stop that program or choose another port.',
  },
  DaemonRunning: {
    ...conflict,
    meaning: 'A daemon is already running for this data directory.',
    next: 'Use it, or stop it with: agent-relay daemon stop',
  },

  HelloRequired: {
    ...denied,
    meaning: 'The connection has not said who it is.',
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
    meaning: 'You are known, but you may not do this.',
    next: 'Ask the owner of the workspace.',
  },
  OriginRefused: {
    ...denied,
    meaning: 'The Host or Origin of the request is not one the daemon serves.',
    next: 'Allow it in the settings (http.allowedHosts, http.allowedOrigins) if it is yours.',
  },
  AgentNameRequired: {
    ...badInput,
    meaning: 'The operation is done by an agent, and the connection has none.',
    next: 'Connect with a name: --as NAME or RELAY_AGENT_NAME.',
  },
  NameTaken: {
    ...conflict,
    meaning: 'The name belongs to an agent whose token you did not show.',
    next: 'Choose another name, or use the token of that agent.',
  },
  NameInUse: {
    ...conflict,
    meaning: 'Another session is connected under this name.',
    next: 'Choose another name, or end the other session first.',
  },
  WorkspaceExists: { ...conflict, meaning: 'A workspace of that name exists.', next: 'Choose another name.' },
  IdConflict: {
    ...conflict,
    meaning: 'You used this id before, for another message.',
    next: 'Use a new id; an id may only be repeated with the same content.',
  },
  MutualAwait: {
    ...conflict,
    meaning: 'The agents would wait for each other for ever.',
    next: 'Read your inbox and answer the other agent first.',
  },
  AlreadyWaiting: {
    ...conflict,
    meaning: 'Another program waits for the next message of this agent.',
    next: 'End the other one first, or read the inbox without waiting.',
  },
  NotClaimed: {
    ...conflict,
    meaning: 'The path reports about a message it has not claimed.',
    next: 'Claim it first; what CLAIM does not return is with another path, or done.',
  },
  AmbiguousProject: {
    ...conflict,
    meaning: 'Several projects are running and nothing says which one is meant.',
    next: 'Name one with --project or RELAY_PROJECT, or open one here with: agent-relay daemon start',
  },
  BackendNotFound: {
    ...notFound,
    meaning: 'The gateway has no server of that name.',
    next: 'List the servers with the tool relay_list_servers.',
  },
  BackendExists: {
    ...conflict,
    meaning: 'The gateway already has a server of that name.',
    next: 'Choose another name, or remove the existing server with the tool relay_remove_server.',
  },
  BackendUnavailable: {
    ...later,
    meaning: 'The server behind the gateway cannot be reached, or was lost during the call.',
    next: 'See the reason with the tool relay_get_status. The gateway keeps reconnecting; the next call tries at once.',
  },
  ToolNotFound: {
    ...notFound,
    meaning: 'No agent or MCP server offers a tool, prompt or resource of that name.',
    next: 'List the tools of agents with: agent-relay capabilities, and those of MCP servers with the tool relay_get_status.',
  },
  AgentOffline: {
    ...later,
    meaning: 'The agent is not connected, and calls are not kept for later.',
    next: 'Call it when it is back, or send it a message.',
  },
  InvalidArguments: {
    ...badInput,
    meaning: "The arguments of the call do not match the tool's input schema.",
    next: 'Correct the argument that the message names.',
  },
  ToolFailed: {
    meaning: 'The tool was called and reported an error.',
    next: 'Read the message; it comes from the tool.',
    retryable: false,
    exit: 1,
    http: 502,
  },
  InvalidResult: {
    meaning: 'The tool answered, but its result is too large or does not match its own output schema.',
    next: 'Report it to whoever runs the agent. The tool has run.',
    retryable: false,
    exit: 1,
    http: 502,
  },
  CalleeGone: {
    meaning: 'The agent disconnected before it answered the call.',
    next: 'The tool may have run. Check that before you call it again.',
    retryable: false,
    exit: 7,
    http: 502,
  },
  Denied: {
    ...denied,
    meaning: 'A person did not allow the call.',
    next: 'Ask the person in charge.',
  },
  ResultTooLarge: {
    ...badInput,
    meaning: 'The gateway rejected an answer: too large, nested too deeply, or with a duplicate key.',
    next: 'Ask for less, or raise the limit of the gateway.',
    http: 502,
  },
  InvalidBackendConfig: {
    ...badInput,
    meaning: 'A configuration file of the gateway has an error at the given line and column.',
    next: 'Fix the file. A running gateway keeps its last valid configuration until then.',
  },
  InvalidClientConfig: {
    ...badInput,
    meaning: 'The configuration file of a client cannot be edited safely; it was left as it is.',
    next: 'Correct the file at the place that is named, then run the command again.',
  },
  ClientNotFound: {
    ...notFound,
    meaning: 'No client that the relay can be installed into was found.',
    next: 'Name one, for example: agent-relay mcp install -e claude',
  },
  ProgramFailed: {
    meaning: 'Another program that was needed is not installed, or did not do what it was asked.',
    next: 'Install or set up that program.',
    retryable: false,
    exit: 1,
    http: 500,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Facts about one error that a program can use; every field is safe to show to whoever gets the error. */
export interface ErrorDetails {
  /** Near names for one that was not found. */
  suggestions?: string[];
  /** Which field of the request was wrong. */
  field?: string;
  /** The limit that was reached, and the setting that says it. */
  limit?: number;
  setting?: string;
  /** When a retry makes sense. */
  retryAfterMs?: number;
  /** The choices where the request was ambiguous. */
  choices?: string[];
  /** The message that was stored all the same. */
  messageId?: string;
  /** Which token the daemon asks for; it tells nothing about the token, but who has it knows it by this. */
  tokenId?: string;
}

/** The payload of an ERROR envelope: `id` names the request it answers, if it answers one. */
export interface ErrorPayload {
  id?: string;
  code: string;
  message: string;
  next: string;
  retryable: boolean;
  details?: ErrorDetails;
}

/** The only error that leaves the relay: a catalogue code, what happened, and what to do next. */
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

  /** A code this version does not know (a newer daemon's) is kept as `Internal` with the daemon's own words. */
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

/** Somebody has reached a limit. `message` says what the limit is, `instead` what can be done without raising it. */
export const limitReached = (setting: string, limit: number, message: string, instead: string): RelayError =>
  new RelayError('LimitReached', message, {
    next: `${instead} The owner of the daemon can raise "${setting}" in settings.json.`,
    details: { limit, setting },
  });

/** An error as a command line tells it to a person. */
export const errorLines = ({ message, next }: RelayError): string =>
  safeText(`error: ${message}\nnext: ${next}\n`);

export const isRelayError = (error: unknown, code?: ErrorCode): error is RelayError =>
  error instanceof RelayError && (code === undefined || error.code === code);
