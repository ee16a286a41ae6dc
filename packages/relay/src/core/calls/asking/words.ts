import { type Message, RelayError, safeLine } from '@agent-relay/protocol';
import type { Agents } from '../../directory/agents.ts';
import type { Presence } from '../../directory/presence.ts';
import type { Agent } from '../../ports/store/agents.ts';
import type { Workspace } from '../../ports/store/workspaces.ts';

/** Asks an agent that only announced a tool to do what the tool would. */
export function toolQuestion(tool: string, args: Record<string, unknown>): string {
  return [
    `Please run your tool "${safeLine(tool)}" with these arguments:`,
    JSON.stringify(args, null, 2),
    'Reply to this message with the result and nothing else: JSON if the tool returns data, otherwise text.',
  ].join('\n');
}

/** The result in an agent's answer: its JSON, or its text. The content of a code block counts. */
export function resultInWords({ content }: Message): unknown {
  const text = content.trim();
  const [, block] = /^```[a-z]*\n(.*?)\n?```$/s.exec(text) ?? [];
  try {
    return JSON.parse(block ?? text);
  } catch {
    return content;
  }
}

const YES: ReadonlySet<string> = new Set(
  'y,yes,yep,yeah,ok,okay,sure,of course,allow,allowed,approve,approved,go ahead,do it'.split(','),
);
/** Words that may stand beside a yes. */
const POLITE: ReadonlySet<string> = new Set(['please', 'thanks', 'thank you']);

/** Whether a reply says yes and nothing else. */
export function isYes({ content }: Pick<Message, 'content'>): boolean {
  const words = content.toLowerCase().match(/[^\s\p{P}\p{S}]+/gu) ?? [];
  let hasYes = false;
  for (let at = 0; at < words.length; ) {
    const [one = '', two = ''] = words.slice(at, at + 2);
    const phrase = [`${one} ${two}`, one].find((said) => YES.has(said) || POLITE.has(said));
    if (phrase === undefined) return false;
    hasYes ||= YES.has(phrase);
    at += phrase === one ? 1 : 2;
  }
  return hasYes;
}

/** Who to ask for consent: the person who leads the project, else one who is online, else the first. */
export function personInCharge(agents: Agents, presence: Presence, workspace: Workspace): Agent {
  const people = agents.list(workspace).filter(({ type }) => type === 'human');
  const rank = ({ id, lead }: Agent) => (lead ? 0 : presence.isOnline(id) ? 1 : 2);
  const [person] = people.sort((one, other) => rank(one) - rank(other) || one.id - other.id);
  if (person) return person;
  throw new RelayError('Denied', `Nobody in project ${workspace.name} can allow the call.`, {
    next: 'A person joins by running any command as themselves, such as: agent-relay inbox',
  });
}
