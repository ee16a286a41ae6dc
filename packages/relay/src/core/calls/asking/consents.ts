import { consentQuestion, isRelayError, RelayError } from '@agent-relay/protocol';
import type { AwaitOutcome } from '../../delivery/awaits.ts';
import type { Agents } from '../../directory/agents.ts';
import type { Presence } from '../../directory/presence.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Agent } from '../../ports/store/agents.ts';
import { relayItself } from '../../principal.ts';
import { type OpenCall, type QuestionEnd, titleOf } from '../open-call.ts';
import type { ConsentAnswers } from './consent-answers.ts';
import type { Questions } from './questions.ts';
import { personInCharge } from './words.ts';

interface Parts {
  agents: Agents;
  presence: Presence;
  clock: Clock;
  questions: Questions;
  answers: ConsentAnswers;
}

/** Asks people whether calls may be made. */
export class Consents {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Asks the person in charge. `stored` gets a function that withdraws the question; `settle` the answer, or why there is none. */
  async ask(
    call: OpenCall,
    stored: (retract: (reason: QuestionEnd) => void) => void,
    settle: (outcome: AwaitOutcome, person: Agent) => void,
  ): Promise<void> {
    const { agents, presence, clock, questions, answers } = this.#parts;
    const { caller, target, args, timeoutMs } = call;
    const { workspace } = call.principal;
    const person = personInCharge(agents, presence, workspace);
    call.waitsFor = person;
    const principal = relayItself(workspace, await agents.system(workspace));
    let closed = (): void => undefined;
    let note = (_how: 'close' | 'hint', _content: string): void => undefined;
    const question = questions.ask({
      principal,
      id: `${call.id}-${person.id}`,
      to: person,
      content: consentQuestion(caller.name, titleOf(target), args),
      timeoutMs,
      // A killed daemon cannot close the question; it expires with the call.
      expiresAt: clock.now() + timeoutMs,
      stored: (stop, messageId) => {
        note = (how, content) => {
          if (agents.byId(person.id)) questions[how](principal, messageId, content);
        };
        call.question = messageId;
        closed = answers.opened(messageId, call);
        call.waiter.progress({ progress: 0, message: `Waiting for consent from ${person.name}.` });
        stored((reason) => {
          stop();
          closed();
          note('close', `No reply is needed any more: ${whyOf(reason, call)}`);
        });
      },
      settle: (outcome) => {
        closed();
        settle(outcome, person);
      },
      // A yes that was meant for another call must not allow this one.
      onBeside: () => note('hint', BESIDE),
    });
    await question.catch((error) => {
      if (!isRelayError(error, 'BodyTooLarge')) throw error;
      throw new RelayError(
        'Denied',
        `The arguments of ${titleOf(target)} are too long to ask ${person.name} about.`,
        {
          next: 'Put the content in a file and pass its path.',
        },
      );
    });
  }
}

const BESIDE =
  'This message does not answer the question, because it is not a reply to it. To allow or deny this call, reply to the question itself, in the dashboard or with --reply-to.';

/** Whether a person has to allow the call. A person who calls a tool allows that call; a key alone is not a person. */
export const needsConsent = ({
  target,
  principal: { agent, owner, unverified },
}: Pick<OpenCall, 'target' | 'principal'>): boolean => {
  const isPerson = owner || (agent?.type === 'human' && !unverified);
  return target.kind !== 'backend' && target.tool.definition.consent === true && !isPerson;
};

function whyOf(reason: QuestionEnd, { caller, target }: OpenCall): string {
  if (reason === 'timeout') return 'the call timed out.';
  const gone = reason === 'callee_gone' && target.kind !== 'backend';
  return gone ? `${target.callee.name} disconnected.` : `${caller.name} stopped waiting.`;
}
