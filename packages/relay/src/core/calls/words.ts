import { type Message, type OperationParams, RelayError, safeLine } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

/** More of the arguments would hide the question. */
const SHOWN_ARGUMENTS = 4096;

/** Asks an agent that only said that it has a tool to do what the tool would. */
export function toolQuestion({ tool, arguments: args }: OperationParams<'CALL'>): string {
  return [
    `Please run your tool "${safeLine(tool)}" with these arguments:`,
    JSON.stringify(args, null, 2),
    'Reply to this message with the result and nothing else: JSON if the tool returns data, otherwise text.',
  ].join('\n');
}

/** The result in an agent's answer: the JSON that it is, or its text. A block of code counts as what is in it. */
export function resultInWords({ content }: Message): unknown {
  const text = content.trim();
  const [, block] = /^```[a-z]*\n(.*?)\n?```$/s.exec(text) ?? [];
  try {
    return JSON.parse(block ?? text);
  } catch {
    return content;
  }
}

/** Asks the person in charge whether a call may be made. */
export function consentQuestion(
  caller: string,
  title: string,
  { arguments: args }: OperationParams<'CALL'>,
): string {
  const shown = JSON.stringify(args, null, 2);
  const cut = shown.length > SHOWN_ARGUMENTS ? `${shown.slice(0, SHOWN_ARGUMENTS)}…` : shown;
  return [
    `${caller} wants to call ${title} with:`,
    cut,
    'Reply "yes" to allow this call. Any other reply denies it.',
  ].join('\n');
}

export const isYes = ({ content }: Message): boolean =>
  /^\s*["']?(y|yes|ok|okay|allow|allowed|approve|approved)\b/i.test(content);

/** Whom to ask for consent: the person who leads the project, else one who is there, else the first. */
export function personInCharge(agents: Agents, presence: Presence, workspace: Workspace): Agent {
  const people = agents.list(workspace).filter(({ type }) => type === 'human');
  const rank = ({ id, lead }: Agent) => (lead ? 0 : presence.isOnline(id) ? 1 : 2);
  const [person] = people.sort((one, other) => rank(one) - rank(other) || one.id - other.id);
  if (person) return person;
  throw new RelayError('Denied', `Nobody in project ${workspace.name} can allow the call.`, {
    next: 'A person joins by running any command as themselves, such as: agent-relay inbox',
  });
}
