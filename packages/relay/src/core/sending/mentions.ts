import type { Agent } from '../ports/store/agents.ts';

/** `@Name` not preceded by a word; trailing `-` and `_` may be punctuation. */
const MENTION = /(?<![\p{L}\p{N}_@./-])@([A-Za-z0-9][A-Za-z0-9_-]{0,63})/gu;
const MAX_MENTIONS = 64;

/** The agents mentioned with `@Name`, each once; unknown names are plain text. */
export function findMentions(
  text: string,
  find: (name: string) => Agent | undefined,
): Array<{ id: number; name: string }> {
  if (!text.includes('@')) return [];
  const found = new Map<number, { id: number; name: string }>();
  for (const [, name = ''] of text.matchAll(MENTION)) {
    const agent = find(name) ?? find(name.replace(/[-_]+$/, ''));
    if (agent) found.set(agent.id, { id: agent.id, name: agent.name });
    if (found.size >= MAX_MENTIONS) break;
  }
  return [...found.values()];
}
