import type { Message } from './messages/message.ts';
import type { Reason } from './messages/reasons.ts';
import type { Attention, DeliveryPath, ReceivingPath, ViewMode } from './vocabulary.ts';
import type { InvocationInfo } from './wire/payloads.ts';

/** What was observed of a delivery, for the sender and the owner. */
export interface DeliveryEvent {
  type: `delivery.${'accepted' | 'injected' | 'turn_started' | 'refused' | 'uncertain' | 'read' | 'acked'}`;
  messageId: string;
  agent: string;
  path?: DeliveryPath;
  reason?: Reason;
  /** Milliseconds since the message was stored, of what the agent or its path reported. */
  afterMs?: number;
}

/** What happened to the program of an agent; `waiting`: for something only a person can do, until `resumed`. */
export interface SessionEvent {
  type: `session.${'started' | 'ready' | 'waiting' | 'resumed' | 'exited'}`;
  agent: string;
  /** What it waits for. */
  reason?: Reason;
  exit?: { code: number; signal?: string };
  /** It was ended by RELEASE. */
  released?: true;
}

/** What viewers ask of the host of a terminal. */
export type TerminalCommand =
  /** How many there are: without any, nothing is sent. */
  | { kind: 'viewers'; count: number }
  /** What is on the screen, for one of them. */
  | { kind: 'screen'; viewer: string }
  /** Keys of the viewer that drives. */
  | { kind: 'input'; viewer: string; data: string }
  /** Who types: a viewer, or the person at the agent's own terminal. */
  | { kind: 'writer'; viewer?: string }
  | { kind: 'size'; columns: number; rows: number }
  | { kind: 'hold'; held: boolean }
  /** A person's answer to the permission prompt that the host reported with this key, if it is open; said with PROMPT_REPORT. */
  | { kind: 'answer'; request: string; key: string; answer: 'allow' | 'deny' };

/** A terminal as one of its viewers has it. */
export interface TerminalState {
  mode: ViewMode;
  /** A viewer keeps messages from being typed. */
  held: boolean;
  viewers: number;
  /** Who drives: a viewer, or the person at the agent's own terminal; absent if nobody does. */
  writer?: 'viewer' | 'terminal';
}

/** Whether a path can deliver now; `away` when its connection has ended. */
export type PathState = 'ready' | 'waits' | 'away';

/** Why a call ended before its handler did. */
export type CallEnd = 'cancelled' | 'timeout' | 'caller_gone';

/** The payload of EVENT. */
export type RelayEvent =
  | { type: 'message.created'; message: Message }
  | { type: 'message.redacted'; messageId: string }
  /** A message for this agent, for a connection with `notify`. */
  | { type: 'mail.arrived'; message: Message }
  /** There may be something to claim, for the connection whose paths are in use. */
  | { type: 'mail.claimable' }
  | DeliveryEvent
  /** The state of an agent's path. */
  | { type: 'path.changed'; agent: string; path: ReceivingPath; state: PathState; reason?: Reason }
  | { type: 'reaction.added' | 'reaction.removed'; messageId: string; emoji: string; agent: string }
  | { type: 'agent.online' | 'agent.offline' | 'agent.removed'; agent: string }
  | { type: 'agent.renamed'; agent: string; before: string }
  | { type: 'agent.changed'; agent: string }
  | { type: 'channel.created' | 'channel.archived' | 'channel.opened'; channel: string; agent: string }
  | { type: 'channel.joined' | 'channel.left'; channel: string; agent: string }
  | { type: 'channel.topic'; channel: string; topic: string; agent: string }
  | SessionEvent
  /** For the client whose SPAWN takes long. */
  | { type: 'spawn.progress'; agent: string; text: string }
  /** For the host of a run: end the program and everything it started. */
  | { type: 'run.end'; run: string }
  /** For the host of a run: when the agent wants its messages from now on. */
  | { type: 'run.attention'; run: string; attention?: Attention }
  | { type: 'terminal.command'; run: string; command: TerminalCommand }
  /** For a viewer, as base64; with `screen` it starts over, in a terminal of this size. */
  | { type: 'terminal.output'; viewer: string; data: string; screen?: { columns: number; rows: number } }
  | ({ type: 'terminal.changed'; viewer: string } & TerminalState)
  /** The program has ended, or its host is gone. */
  | { type: 'terminal.ended'; viewer: string; exit?: { code: number; signal?: string } }
  /** For the owner: the agent's open permission prompt changed or closed. */
  | { type: 'prompt.changed'; agent: string }
  /** The tools that an agent offers changed. */
  | { type: 'tools.changed'; agent: string }
  /** For the owner: an MCP server of the daemon changed its state, or was added or removed. */
  | { type: 'servers.changed' }
  /** For the caller and the performer of an action, and the owner; `failed` also if the outcome is unknown. */
  | { type: `action.${'invoked' | 'completed' | 'failed'}`; invocation: InvocationInfo }
  /** For the connection that handles the call: the caller stopped waiting. */
  | { type: 'call.cancelled'; callId: string; reason: CallEnd }
  | { type: 'message.held'; messageId: string; from: string; to: string; reason: string }
  /** The connection was too slow and missed events: query again what matters. */
  | { type: 'events.missed' };
