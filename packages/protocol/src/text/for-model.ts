import { type ErrorCode, RelayError } from '../errors.ts';
import { safeLine } from './text.ts';

/** Next steps that use a tool, by error code. */
export type NextSteps = Readonly<Partial<Record<ErrorCode, string>>>;

/** Next steps for a model where the catalogue names a command, for every toolset. */
const USUAL: NextSteps = {
  NameTaken: 'Choose another name.',
  MessageHeld: 'Stop replying in this conversation; your user decides about the message.',
  ProjectNotFound: 'Ask your user for the name of the project.',
  ChannelArchived: 'Use another channel.',
  UnknownCli: 'Use one of the names in the message.',
};

/** Commands, options and variables are for people, and so is the settings file, unless the text says who edits it. */
const FOR_A_PERSON =
  /\bagent-relay\b|\bRELAY_[A-Z]|(^|\s)--[a-z]|^(?!.*\b(?:user|owner)\b).*\bsettings\.json\b/;

/** The error for a model: the next step names a tool, or is something to tell the user. `door` takes precedence. */
export function forModel(error: RelayError, toolset: NextSteps, door: NextSteps = {}): RelayError {
  const { code, message, next, details, retryable } = error;
  const step = door[code] ?? (FOR_A_PERSON.test(next) ? toolStep(error, toolset) : next);
  if (step === next) return error;
  return new RelayError(code, message, { next: step, retryable, cause: error, ...(details && { details }) });
}

const toolStep = ({ code, next }: RelayError, toolset: NextSteps): string =>
  toolset[code] ?? USUAL[code] ?? `Tell your user: ${next}`;

/** An error in one line, as a model reads it. */
export const failureText = ({ code, message, next }: RelayError, failed = 'Error'): string =>
  safeLine(`${failed}: ${message} [${code}] Next: ${next}`);
