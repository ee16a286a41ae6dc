/** A tool that the CLI asks its person for, with its arguments: absent if they are too long to be passed on. */
export interface AskedTool {
  name: string;
  input?: Record<string, unknown>;
}

/** A report of a CLI's hook (see bin/hook.js). */
export interface HookReport {
  event: string;
  /** Start time of its process: reports of several may arrive out of order. */
  startedAt: number;
  /** Its process waits for a message. */
  waits: boolean;
  /** Its process stays until the permission is decided. */
  asks: boolean;
  /** Of a permission. */
  tool?: AskedTool;
  source?: string;
  /** The same for all events of one turn. */
  promptId?: string;
  /** The CLI's own id of the conversation. */
  session?: string;
  isSubagent: boolean;
  /** Why a turn failed: the CLI's code, and its texts. */
  error?: string;
  details?: string;
  /** The relay's messages in a prompt. */
  messages: string[];
}

/** Parses a line; undefined if it is not a report. */
export function parseReport(line: string): HookReport | undefined {
  const value = parseObject(line);
  if (typeof value?.event !== 'string' || typeof value.startedAt !== 'number') return undefined;
  const { event, startedAt, waits, asks, tool, isSubagent, messages } = value;
  return {
    event,
    startedAt,
    waits: waits === true,
    asks: asks === true,
    ...toolFrom(tool),
    isSubagent: isSubagent === true,
    messages: Array.isArray(messages) ? messages.filter((id) => typeof id === 'string') : [],
    ...textsOf(value, ['source', 'promptId', 'session', 'error', 'details']),
  };
}

function toolFrom(value: unknown): { tool?: AskedTool } {
  const { name, input } = (value ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string') return {};
  const isObject = typeof input === 'object' && input !== null;
  return { tool: { name, ...(isObject && { input: input as Record<string, unknown> }) } };
}

/** Whether a process confirms that it took a message; undefined for anything else. */
export function parseTaken(line: string): boolean | undefined {
  const taken = parseObject(line)?.taken;
  return typeof taken === 'boolean' ? taken : undefined;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const textsOf = <Key extends string>(value: Record<string, unknown>, keys: readonly Key[]) =>
  Object.fromEntries(
    keys.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key]]] : [])),
  ) as Partial<Record<Key, string>>;
