/** The largest message body, in bytes of UTF-8. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The largest piece of a file in one request, before base64. */
export const ATTACHMENT_CHUNK_BYTES = 256 * 1024;

/** Tools of one agent. The settings of a daemon may allow fewer (`quotas.tools`), never more. */
export const MAX_TOOLS = 4096;

/** How long a call or a wait may take. */
export const MAX_TIMEOUT_MS = 86_400_000;

export const AGENT_TYPES = ['agent', 'human', 'system'] as const;
export type AgentType = (typeof AGENT_TYPES)[number];

export const MESSAGE_KINDS = ['status', 'question', 'directive', 'free'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

export const IMPORTANCES = ['low', 'normal', 'high', 'urgent'] as const;
export type Importance = (typeof IMPORTANCES)[number];

/**
 * The states of a delivery, in order; a state is reported only once it was observed. `uncertain`: a path started to deliver
 * and cannot confirm that it arrived, so no other path may try.
 */
export const DELIVERY_STATES = [
  'stored',
  'accepted',
  'uncertain',
  'injected',
  'turn_started',
  'read',
  'acked',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The paths that put a message into an agent's context and claim it first, best first. */
export const CLAIMING_PATHS = ['native', 'hook', 'pty'] as const;
export type ClaimingPath = (typeof CLAIMING_PATHS)[number];

/** The paths of a connection, best first; `push` is for programs that are the agent themselves. */
export const RECEIVING_PATHS = [...CLAIMING_PATHS, 'push'] as const;
export type ReceivingPath = (typeof RECEIVING_PATHS)[number];

/** How a message reached its recipient; `pull`: the agent read its inbox. */
export const DELIVERY_PATHS = [...RECEIVING_PATHS, 'pull'] as const;
export type DeliveryPath = (typeof DELIVERY_PATHS)[number];

/**
 * When a working agent wants its messages. Default: urgent ones as soon as its CLI takes them, others after the turn.
 */
export const ATTENTIONS = ['now', 'next-tool-call', 'end-of-turn'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** How a viewer uses a terminal: watching only, or typing too. */
export const VIEW_MODES = ['watch', 'drive'] as const;
export type ViewMode = (typeof VIEW_MODES)[number];

/** Output of a terminal in one frame. */
export const TERMINAL_CHUNK_BYTES = 128 * 1024;

/** A longer permission prompt is allowed in the terminal only: elsewhere a person would allow what they cannot read. */
export const PROMPT_TEXT_LIMIT = 64 * 1024;

/** The format of a secret: `at_` (agent token) or `rk_id_` (workspace key) and 256 random bits. */
export const isAgentToken = (text: string): boolean => /^at_[A-Za-z0-9_-]{43}$/.test(text);
export const isWorkspaceKey = (text: string): boolean => /^rk_[0-9a-z]{8}_[A-Za-z0-9_-]{43}$/.test(text);

/** `ps_id_` and 256 random bits: signs the owner's browser in. */
export const isPageSession = (text: string): boolean => /^ps_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/.test(text);

/** An id chosen by a client: any printable word. */
export const isClientId = (text: string): boolean => /^[\x21-\x7e]{1,64}$/.test(text);

/** What the owner can allow an agent that is otherwise for people, or for agents on the daemon's machine. */
export const AGENT_GRANTS = ['spawn', 'terminal'] as const;
export type AgentGrant = (typeof AGENT_GRANTS)[number];
