import {
  type ActionDefinition,
  isAgentName,
  isName,
  isRelayTool,
  isReserved,
  nameKey,
  plainAgentName,
  RelayError,
} from '@agent-relay/protocol';
import { callWord } from '../call-names.ts';

const EVERYBODY: ReadonlySet<string> = new Set(['everyone', 'everybody', 'anyone', 'anybody']);

/** Throws if the name is not allowed, or its `availableTo` cannot match anyone. */
export function checkAction({ name, availableTo = [] }: ActionDefinition): void {
  const refusal = { next: 'Choose another name for the action.', details: { name } };
  if (isRelayTool(name))
    throw new RelayError('NameTaken', `The relay already has a tool named "${name}".`, refusal);
  const word = callWord(name);
  if (word !== name && isReserved(word))
    throw new RelayError(
      'ReservedName',
      `The action "${name}" begins with the reserved word "${word}".`,
      refusal,
    );
  const nobody = availableTo.find((who) => !canBeSomebody(who));
  if (nobody === undefined) return;
  throw new RelayError('InvalidRequest', `The action "${name}" cannot be available to "${nobody}".`, {
    next: 'Use names of agents, #channel, lead or human. Without availableTo it is available to everybody.',
    details: { name, field: 'availableTo' },
  });
}

function canBeSomebody(who: string): boolean {
  if (who.startsWith('#')) return isName(who.slice(1));
  const key = nameKey(plainAgentName(who));
  return key === 'human' || key === 'lead' || (isAgentName(key) && !EVERYBODY.has(key));
}
