/** What a hook of the CLI tells (see bin/hook.js). */
export interface HookReport {
  event: string;
  /** When its process began: several may tell what they know in another order. */
  startedAt: number;
  /** Its process stays until there is a message. */
  waits: boolean;
  source?: string;
  /** Of all events of one turn the same. */
  promptId?: string;
  /** The CLI's own id of the conversation. */
  session?: string;
  isSubagent: boolean;
  /** Why a turn failed: the CLI's word for it, and its texts. */
  error?: string;
  details?: string;
  /** The relay's messages in a prompt. */
  messages: string[];
}

/** The report in a line; undefined if somebody else wrote it. */
export function parseReport(line: string): HookReport | undefined {
  const value = parseObject(line);
  if (typeof value?.event !== 'string' || typeof value.startedAt !== 'number') return undefined;
  const { event, startedAt, waits, isSubagent, messages } = value;
  return {
    event,
    startedAt,
    waits: waits === true,
    isSubagent: isSubagent === true,
    messages: Array.isArray(messages) ? messages.filter((id) => typeof id === 'string') : [],
    ...textsOf(value, ['source', 'promptId', 'session', 'error', 'details']),
  };
}

/** Whether a process that was handed a message says that it took it; undefined if it says something else. */
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
