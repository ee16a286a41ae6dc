import { wholeText } from '../text/whole-text.ts';

/** How to answer a question for consent where there are no buttons. */
const HOW_TO_ANSWER = [
  'Reply "yes" to allow this call. Any other reply denies it.',
  'Reply in the dashboard, or in a shell with the id of this message: agent-relay send --reply-to ID yes',
].join('\n');

const WANTS = ' wants to call ';

/** What the relay asks the person in charge. All arguments are in it: a person can only allow what they can read. */
export const consentQuestion = (caller: string, title: string, args: Record<string, unknown>): string =>
  [wholeText(`${caller}${WANTS}${title} with`, JSON.stringify(args, null, 2)), HOW_TO_ANSWER].join('\n');

/** Such a question where buttons answer it, and who wants to make the call. */
export function readConsentQuestion(content: string): { caller: string; text: string } {
  const [caller = ''] = content.split(WANTS, 1);
  const text = content.endsWith(HOW_TO_ANSWER) ? content.slice(0, -HOW_TO_ANSWER.length - 1) : content;
  return { caller, text };
}
