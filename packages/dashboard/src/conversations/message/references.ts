import { nameKey } from '@agent-relay/protocol';
import type { AgentInfo } from '@agent-relay/sdk';
import { welcome } from '../../connection/connection.ts';
import { agents, channels } from '../../model/project.ts';
import { linkTo } from '../../routes.ts';

/** A name after `@`, a channel after `#`, at the beginning of a word. */
const REFERENCE = /(?<![\w@#/&])([@#])([\p{L}\p{N}][\p{L}\p{N}_.-]*)/gu;

/** Text in these elements is not turned into links. */
const isPlain = ({ parentElement }: Node): boolean => parentElement?.closest('a, code, pre') === null;

/** Links the agents and channels named in a rendered message. */
export function linkReferences(rendered: DocumentFragment): DocumentFragment {
  const walker = document.createTreeWalker(rendered, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts)
    if (/[@#]/.test(text.data) && isPlain(text)) text.replaceWith(...pieces(text.data));
  return rendered;
}

function pieces(text: string): Array<string | HTMLAnchorElement> {
  const found: Array<string | HTMLAnchorElement> = [];
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [, sign = '', word = ''] = match;
    // A full stop ends the sentence more often than the name.
    const written = [word, word.replace(/[.-]+$/, '')].find((one) => nameOf(sign, one) !== undefined);
    if (written === undefined) continue;
    found.push(text.slice(end, match.index), linkOf(sign, written));
    end = match.index + sign.length + written.length;
  }
  return [...found, text.slice(end)];
}

/** The name of the agent or channel that was written; case does not matter, and an agent may have a handle. */
function nameOf(sign: string, written: string): string | undefined {
  const key = nameKey(written);
  if (sign === '#')
    return channels
      .peek()
      .find(({ name }) => nameKey(name) === `#${key}`)
      ?.name.slice(1);
  if (agents.peek().has(written)) return written;
  const isMeant = ({ name, handle = '' }: AgentInfo) => nameKey(name) === key || nameKey(handle) === key;
  return [...agents.peek().values()].find(isMeant)?.name;
}

function linkOf(sign: string, written: string): HTMLAnchorElement {
  const name = nameOf(sign, written) ?? written;
  const { project = '', agent } = welcome.peek() ?? {};
  const link = document.createElement('a');
  link.className = sign === '@' && name === agent?.name ? 'reference is-me' : 'reference';
  link.href = linkTo(project, sign === '@' ? 'agent' : 'channel', name);
  link.textContent = `${sign}${written}`;
  return link;
}
