import { RelayError } from '../errors.ts';
import { checkName, nameKey } from './names.ts';

/** The recipient of a message, inside one project. */
export type Target =
  | { kind: 'agent'; name: string }
  | { kind: 'channel'; name: string }
  | { kind: 'lead' }
  | { kind: 'all' };

/** An address as written by a sender; without `project` it means the sender's own, `*` means every project. */
export interface Address {
  project?: string;
  target: Target;
}

/**
 * The only parser of addresses:
 * `Alice` or `@Alice`, `#channel`, `*`, `lead`, `project:Alice`, `project:lead`, `project:#channel`, `project:*`, `*:*`.
 */
export function parseAddress(text: string): Address {
  const colon = text.indexOf(':');
  if (colon < 0) return { target: parseTarget(text, text) };
  const project = text.slice(0, colon);
  const target = parseTarget(text.slice(colon + 1), text);
  if (project === '*') {
    if (target.kind !== 'all') {
      throw new RelayError('InvalidAddress', `"${text}" is not valid: only *:* can address every project.`);
    }
    return { project, target };
  }
  return { project: checkName(project, 'project'), target };
}

function parseTarget(text: string, whole: string): Target {
  if (text === '')
    throw new RelayError(
      'InvalidAddress',
      whole === '' ? 'The address is empty.' : `"${whole}" names no recipient.`,
    );
  if (text === '*') return { kind: 'all' };
  if (text.startsWith('#')) return { kind: 'channel', name: checkName(text.slice(1), 'channel') };
  const name = plainAgentName(text);
  if (nameKey(name) === 'lead') return { kind: 'lead' };
  return { kind: 'agent', name: checkName(name, 'agent') };
}

/** An agent may be written with or without `@` wherever its name or handle fits. */
export const plainAgentName = (reference: string): string =>
  reference.startsWith('@') ? reference.slice(1) : reference;

/** The inverse of `parseAddress`. */
export function formatAddress({ project, target }: Address): string {
  const local =
    target.kind === 'all'
      ? '*'
      : target.kind === 'lead'
        ? 'lead'
        : target.kind === 'channel'
          ? `#${target.name}`
          : target.name;
  return project === undefined ? local : `${project}:${local}`;
}

/** A channel may be written with or without `#` where only a channel fits. */
export const parseChannelName = (text: string): string =>
  checkName(text.startsWith('#') ? text.slice(1) : text, 'channel');
