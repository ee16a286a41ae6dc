import { safeLine } from '@agent-relay/protocol';

/** Why something failed, in one line that is safe to show: a backend writes parts of it. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return safeLine(text).slice(0, 300);
}
