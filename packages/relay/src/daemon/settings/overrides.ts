import { delimiter } from 'node:path';
import type { Environment } from '@agent-relay/sdk/node';
import { type Form, longOf, ROWS, type StartFlags } from './table.ts';

/** A value that does not come from the file, with the name a person knows it by. */
export interface Override {
  label: string;
  path: readonly string[];
  value: unknown;
}

/** What the environment and the flags set. Where both set the same, the flag comes last and wins. */
export function overridesOf(env: Environment, flags: StartFlags): Override[] {
  const fromEnvironment = ROWS.flatMap(({ path, setting: { env: label, form } }) =>
    label ? [{ label, path, value: fromText(env[label], form) }] : [],
  );
  const fromFlags = ROWS.flatMap(({ path, setting: { flag, form } }) =>
    flag ? [{ label: longOf(flag), path, value: fromFlag(flags[flag.name], form) }] : [],
  );
  return [...fromEnvironment, ...fromFlags].filter(({ value }) => value !== undefined && value !== '');
}

/** The settings that have a variable, as an environment from which they are read again. */
export const asEnvironment = (settings: object): Environment =>
  Object.fromEntries(
    ROWS.flatMap(({ path, setting: { env, form } }) =>
      env ? [[env, asText(valueAt(settings, path), form)]] : [],
    ),
  );

// What is no number, or no yes or no, stays as it is: the schema then says what is wrong with it.
function fromText(text: string | undefined, form: Form = 'text'): unknown {
  if (!text) return undefined;
  if (form === 'number') return /^\d+$/.test(text) ? Number(text) : text;
  if (form === 'switch') return { true: true, '1': true, false: false, '0': false }[text] ?? text;
  if (form === 'words') return text.split(/[\s,]+/).filter((word) => word !== '');
  if (form === 'paths') return text.split(delimiter).filter((path) => path !== '');
  return text;
}

/** A flag may stand without its argument: then it is only a switch. */
function fromFlag(value: string | true | string[] | undefined, form: Form = 'text'): unknown {
  if (value === undefined) return undefined;
  if (form === 'switch') return true;
  if (value === true) return undefined;
  return typeof value === 'string' && form === 'number' ? fromText(value, form) : value;
}

function asText(value: unknown, form: Form = 'text'): string | undefined {
  if (Array.isArray(value)) return value.join(form === 'paths' ? delimiter : ',');
  return value === undefined ? undefined : String(value);
}

/** The value at a path; undefined if there is none. */
export function valueAt(section: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return section;
  return isRecord(section) ? valueAt(section[name], rest) : undefined;
}

/** A copy with the value at a path. A section of the wrong type stays as it is: the file is to be corrected first. */
export function withValue(section: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const values = section ?? {};
  return isRecord(values) ? { ...values, [name]: withValue(values[name], rest, value) } : section;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
