import { dateOf, type HeldInfo, type Message, nameKey, safeLine } from '@agent-relay/protocol';

const MOST_CHARACTERS = 100;

/** Whether a role sent the message, or is its recipient. */
export const concerns = ({ from, to }: Pick<Message, 'from' | 'to'>, roles: readonly string[]): boolean =>
  roles.map(nameKey).some((role) => role === nameKey(from) || role === nameKey(to));

/** A message in one line of the log: `[14:32:01] dev-b → pm [status] "Task P4 …"`. */
export const logLine = ({ ts, from, to, kind, content }: Message): string =>
  `[${timeOf(ts)}] ${from} → ${to} [${kind}] "${gist(content)}"`;

/** A message held by the loop governor: `[14:32:01] dev-b → pm [held] "Thanks!" …`. */
export const heldLine = ({ id, heldAt, from, to, content, reason }: HeldInfo): string =>
  `[${timeOf(heldAt)}] ${from} → ${to} [held] "${gist(content)}" (${safeLine(reason)}; deliver it with: agent-relay held release ${id})`;

const timeOf = (ts: number): string => dateOf(ts).toTimeString().slice(0, 8);

/** The start of the text, without the heading, which only repeats the kind. */
function gist(content: string): string {
  const text = content.replace(/^#+ .*\n(?=\s*\S)/, '').trim();
  const [...characters] = safeLine(text.replace(/\s+/g, ' '));
  return characters.length <= MOST_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MOST_CHARACTERS).join('').trimEnd()}…`;
}
