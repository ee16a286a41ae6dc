import { safeLine } from '@agent-relay/protocol';

/** The reason of an error as one safe line: parts of it come from backends. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return safeLine(text).slice(0, 300);
}
