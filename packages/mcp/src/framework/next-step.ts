import { RelayError } from '@agent-relay/sdk';
import { defined } from './defined.ts';
import type { NextSteps } from './toolset.ts';

/** Next steps for a model where the catalogue names a command, for every toolset. */
const USUAL: NextSteps = {
  NameTaken: 'Choose another name.',
  MessageHeld: 'Stop replying in this conversation; your user decides about the message.',
  ProjectNotFound: 'Ask your user for the name of the project.',
  ChannelArchived: 'Use another channel.',
};

/** Commands, options and variables are for people. */
const FOR_A_PERSON = /\bagent-relay\b|\bRELAY_[A-Z]|(^|\s)--[a-z]/;

/** The error for a model: the next step names a tool, or is something to tell the user. `door` takes precedence. */
export function forModel(error: RelayError, toolset: NextSteps, door: NextSteps = {}): RelayError {
  const { code, message, next, details, retryable } = error;
  const step = door[code] ?? (FOR_A_PERSON.test(next) ? toolStep(error, toolset) : next);
  return step === next
    ? error
    : new RelayError(code, message, { next: step, retryable, cause: error, ...defined({ details }) });
}

const toolStep = ({ code, next }: RelayError, toolset: NextSteps): string =>
  toolset[code] ?? USUAL[code] ?? `Tell your user: ${next}`;
