import { createHash } from 'node:crypto';
import { safeText } from '@agent-relay/protocol';
import type { OpenPrompt } from './adapter.ts';

/** A prompt that is told apart from all others by `facts`: everything that the CLI said about it. */
export function openPrompt(facts: unknown, what: string, detail: string): OpenPrompt {
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  return { digest, text: safeText(`${what}\n${detail}`) };
}
