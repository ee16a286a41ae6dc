import { delimiter } from 'node:path';
import type { Environment } from '@agent-relay/sdk/node';
import { type Form, longOf, ROWS, type StartFlags } from './table.ts';

/** A value from outside the file, with its name for people. */
export interface Override {
  label: string;
  path: readonly string[];
  value: unknown;
}

/** Values from the environment and flags. Flags come last and win. */
export function overridesOf(env: Environment, flags: StartFlags): Override[] {
  const fromEnvironment = ROWS.flatMap(({ path, setting: { env: label, form } }) =>
    label ? [{ label, path, value: fromText(env[label], form) }] : [],
  );
  const fromFlags = ROWS.flatMap(({ path, setting: { flag, form } }) =>
    flag ? [{ label: longOf(flag), path, value: fromFlag(flags[flag.name], form) }] : [],
  );
  return [...fromEnvironment, ...fromFlags].filter(({ value }) => value !== undefined && value !== '');
}

/**
 * The settings that were given by variables, as variables again, for a daemon in another directory. A flag that is not kept
 * is among them: nobody may see it in a command line.
 */
export const givenVariables = (
  settings: object,
  env: Environment,
  flags: StartFlags,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ROWS.flatMap(({ path, setting: { env: label, form, flag } }) => {
      // The next daemon runs in the background.
      if (flag?.onlyUp) return [];
      const isHidden = flag && !flag.kept && flags[flag.name] !== undefined;
      const text = asText(valueAt(settings, path), form);
      return label && (env[label] || isHidden) && text !== undefined ? [[label, text]] : [];
    }),
  );

// Invalid values stay as they are: the schema then reports them.
function fromText(text: string | undefined, form: Form = 'text'): unknown {
  if (!text) return undefined;
  if (form === 'number') return /^\d+$/.test(text) ? Number(text) : text;
  if (form === 'switch') return { true: true, '1': true, false: false, '0': false }[text] ?? text;
  if (form === 'words') return text.split(/[\s,]+/).filter((word) => word !== '');
  if (form === 'paths') return text.split(delimiter).filter((path) => path !== '');
  return text;
}

/** A flag without its argument is a switch. */
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

/** A copy with the value set at a path. A section of the wrong type stays: the schema reports it. */
export function withValue(section: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const values = section ?? {};
  return isRecord(values) ? { ...values, [name]: withValue(values[name], rest, value) } : section;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
