import type { AgentInfo, HistoryMessage, Message } from '@agent-relay/sdk';
import { pathInUse } from './agents.ts';

/** A person's answer, also without words. */
export const DONE = '✅';

/** The questions to a person that they have neither answered nor marked as done, newest first. */
export function openQuestions(messages: readonly HistoryMessage[], me: string): HistoryMessage[] {
  const asked = messages.filter((message) => isQuestionTo(message, me) && !isDone(message, me));
  const said = messages.filter(({ from }) => from === me);
  return asked.filter((question) => !said.some((answer) => answers(answer, question))).reverse();
}

const isQuestionTo = (
  { kind, from, to, group, mentions, redacted, expiresAt }: Message,
  me: string,
): boolean =>
  kind === 'question' &&
  from !== me &&
  !redacted &&
  (expiresAt === undefined || expiresAt > Date.now()) &&
  (to === me || Boolean(group?.includes(me) || mentions?.includes(me)));

const isDone = (message: HistoryMessage, me: string): boolean =>
  message.reactions?.some(({ emoji, agents }) => emoji === DONE && agents.includes(me)) ?? false;

/** In reply to it, in its thread, or simply to whoever asked, afterwards. */
function answers(answer: Message, question: Message): boolean {
  if (answer.seq <= question.seq) return false;
  if (answer.replyTo === question.id) return true;
  const thread = question.thread ?? question.id;
  if (answer.thread !== undefined) return answer.thread === thread;
  return question.channel === undefined && question.group === undefined && answer.to === question.from;
}

/** Where an agent stands still until a person does something in its terminal, and what that is. */
const NEEDS_A_PERSON: Record<string, string> = {
  approval_dialog: 'It asks for permission. Answer in its terminal.',
  signed_out: 'It is signed out. Sign in again in its terminal.',
  usage_limit: 'Its usage limit is reached. It goes on when the limit is reset, or with another account.',
  context_full: 'Its context is full. Compact or clear it in its terminal.',
  hook_not_trusted: 'Its hook is not trusted yet. Trust it in its terminal.',
  unknown_screen: 'Its screen shows something unknown. Look at its terminal.',
  interrupted: 'It was interrupted. Tell it how to go on.',
};

/** A start may take a while before it is worth a look. */
const SLOW_START_MS = 30_000;

export interface StandStill {
  agent: AgentInfo;
  code: string;
  text: string;
  advice: string;
  since: number;
  until?: number;
}

/** The agents that wait for a person, the longest first. */
export function standingStill(agents: Iterable<AgentInfo>, now: number): StandStill[] {
  const found: StandStill[] = [];
  for (const agent of agents) {
    const path = pathInUse(agent);
    if (!path?.reason || path.state !== 'waits') continue;
    const { code, text, until } = path.reason;
    const isSlow = code === 'starting' && now - path.since > SLOW_START_MS;
    const advice = isSlow
      ? 'It does not get past its start. It may ask something in its terminal.'
      : NEEDS_A_PERSON[code];
    if (advice === undefined) continue;
    found.push({ agent, code, text, advice, since: path.since, ...(until === undefined ? {} : { until }) });
  }
  return found.sort((one, other) => one.since - other.since);
}
