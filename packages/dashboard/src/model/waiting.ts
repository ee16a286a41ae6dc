import { REASONS } from '@agent-relay/protocol';
import type { AgentInfo, HistoryMessage, Message } from '@agent-relay/sdk';
import { pathInUse } from './agents.ts';

/** The reaction that marks a question as done. */
export const DONE = '✅';

/** A consent stays this much longer: clocks of browser and daemon differ, and the relay itself says when it is over. */
const CONSENT_GRACE_MS = 300_000;

/** Questions to a person that are neither answered nor marked as done, oldest first. */
export function openQuestions(
  messages: readonly HistoryMessage[],
  me: string,
  now: number,
): HistoryMessage[] {
  const asked = messages.filter((message) => isQuestionTo(message, me, now) && !isDone(message, me));
  return asked.filter((question) => !messages.some((other) => closes(other, question, me)));
}

/** Whether a message is a question, or may close one. */
export const concernsQuestions = ({ kind, from, fromType }: Message, me: string): boolean =>
  kind === 'question' || from === me || fromType === 'system';

/** The relay asks only one thing: consent to a call. */
export const isConsent = ({ fromType }: Message): boolean => fromType === 'system';

const isQuestionTo = (message: Message, me: string, now: number): boolean => {
  const { kind, from, to, group, mentions, redacted, expiresAt = Number.POSITIVE_INFINITY } = message;
  return (
    kind === 'question' &&
    from !== me &&
    !redacted &&
    expiresAt + (isConsent(message) ? CONSENT_GRACE_MS : 0) > now &&
    (to === me || Boolean(group?.includes(me) || mentions?.includes(me)))
  );
};

/** A call waits until it is allowed or denied; reactions do not close it. */
const isDone = (message: HistoryMessage, me: string): boolean =>
  !isConsent(message) &&
  (message.reactions?.some(({ emoji, agents }) => emoji === DONE && agents.includes(me)) ?? false);

/** Whether `other` closes the question: a reply by the person, or for a consent the relay's status that it is over. */
function closes(other: Message, question: Message, me: string): boolean {
  if (other.seq <= question.seq) return false;
  const isOver = isConsent(question) && isConsent(other) && other.kind === 'status';
  if (other.from !== me && !isOver) return false;
  return other.replyTo === question.id || other.thread === (question.thread ?? question.id);
}

/** What mentions the person, asks nothing and is not read: somebody may mean a question. */
export const unreadMentions = (unread: Iterable<Message>, me: string): Message[] =>
  [...unread].filter(
    ({ kind, mentions, fromType, redacted }) =>
      kind !== 'question' && fromType !== 'system' && !redacted && mentions?.includes(me),
  );

/** Reasons for which an agent waits until a person acts in its terminal, and what to do. */
const NEEDS_A_PERSON: Record<string, string> = {
  approval_dialog: 'It asks for permission. Answer in its terminal.',
  signed_out: 'It is signed out. Sign in again in its terminal.',
  usage_limit: 'It continues when the limit is reset, or with another account.',
  context_full: 'Compact or clear it in its terminal.',
  hook_not_trusted: 'Its hook is not trusted yet. Trust it in its terminal.',
  unknown_screen: 'Its screen shows something unknown. Look at its terminal.',
  interrupted: 'It was interrupted. Tell it how to continue.',
};

/** A start may take this long before it is reported. */
const SLOW_START_MS = 30_000;

export interface StandStill {
  agent: AgentInfo;
  code: string;
  /** What the code says of every agent. */
  reason: string;
  /** The same of this one. */
  text: string;
  advice: string;
  since: number;
  until?: number;
}

/** The agents waiting for a person, longest first. */
export function standingStill(agents: Iterable<AgentInfo>, now: number): StandStill[] {
  const found: StandStill[] = [];
  for (const agent of agents) {
    const path = pathInUse(agent);
    if (!path?.reason || path.state !== 'waits') continue;
    const { code, text, until } = path.reason;
    const isSlow = code === 'starting' && now - path.since > SLOW_START_MS;
    const advice = isSlow
      ? 'It has not finished starting. It may have a question in its terminal.'
      : NEEDS_A_PERSON[code];
    if (advice === undefined) continue;
    const reason = REASONS[code];
    found.push({
      agent,
      code,
      reason,
      text,
      advice,
      since: path.since,
      ...(until === undefined ? {} : { until }),
    });
  }
  return found.sort((one, other) => one.since - other.since);
}
