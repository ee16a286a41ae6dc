import { isTooDeep, RelayError } from '@agent-relay/protocol';
import type { Quotas } from '../governance/quotas.ts';
import { titleOf } from './open-call.ts';
import { validate } from './schema/validate.ts';
import type { Target } from './targets.ts';

/** Throws unless the arguments match the tool's schema. What is too complex to check here is left to the MCP server. */
export function checkArguments(target: Target, args: Record<string, unknown>): void {
  const isBackend = target.kind === 'backend';
  const schema = isBackend ? target.input : target.tool.input;
  const flaw = schema && validate(schema, args);
  if (!flaw || (isBackend && flaw.isUnchecked)) return;
  throw new RelayError(
    'InvalidArguments',
    `${titleOf(target)}: ${flaw.path || 'the arguments'} ${flaw.text}.`,
    flaw.path === '' ? {} : { details: { field: flaw.path } },
  );
}

/** What is wrong with a result; undefined if it is valid. */
export function flawOfResult(target: Target, result: unknown, quotas: Quotas): RelayError | undefined {
  const title = titleOf(target);
  const broken = (why: string) =>
    new RelayError('InvalidResult', `The result of ${title} cannot be used: ${why}`);
  if (isTooDeep(result)) return broken('it is nested too deeply.');
  try {
    quotas.checkCallBytes(result, 'The result');
  } catch (error) {
    return broken((error as Error).message);
  }
  const schema = target.kind === 'backend' ? undefined : target.tool.output;
  const flaw = schema && validate(schema, result);
  return flaw && broken(`${flaw.path || 'it'} ${flaw.text} to match the output schema.`);
}
