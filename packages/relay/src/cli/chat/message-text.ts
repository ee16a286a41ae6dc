import { wrap } from '@agent-relay/platform';
import { type Message, nameKey, safeText } from '@agent-relay/protocol';
import { styled } from '../output/terminal.ts';

const MENTION = /@([A-Za-z0-9][A-Za-z0-9_-]*)/g;

/** The text of a message wrapped for a terminal width, with mentioned agents highlighted. */
export function messageText(
  { content, mentions = [] }: Message,
  { me, columns }: { me: string; columns: number | undefined },
): string {
  const text = safeText(content);
  const named = new Set(mentions.map(nameKey));
  const lit = (mention: string, name: string): string => {
    // A name may be followed by punctuation: `@Bob--`.
    const key = [name, name.replace(/[-_]+$/, '')].map(nameKey).find((one) => named.has(one));
    if (key === undefined) return mention;
    return styled(key === nameKey(me) ? ['bold', 'yellow'] : 'cyan', mention);
  };
  // Wrapped before it is colored: colors take no space.
  return (columns === undefined ? text : wrap(text, columns)).replace(MENTION, lit);
}
