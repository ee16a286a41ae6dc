import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { RelayError } from '@agent-relay/protocol';
import type { Environment } from '@agent-relay/sdk/node';
import type { Form } from './table.ts';

/** Where `settings.json` is looked for. */
export function configDirectory(env: Environment = process.env): string {
  if (env.RELAY_CONFIG) return resolve(env.RELAY_CONFIG);
  const shared = env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : undefined;
  return join(shared ?? join(env.HOME || homedir(), '.config'), 'agent-relay');
}

export const isPath = (form: Form | undefined): form is 'path' | 'paths' | 'database' =>
  form === 'path' || form === 'paths' || form === 'database';

/**
 * Makes a path, or each path of a list, absolute. Other values are returned as they are: the schema then reports them.
 */
export function locate<Other>(
  value: Other | string | string[],
  form: 'path' | 'paths' | 'database',
  relativeTo: string,
  env: Environment,
): Other | string | string[] {
  const absolute = <Item>(item: Item | string): Item | string => {
    if (typeof item !== 'string' || item === '') return item;
    if (form === 'database' && isDatabaseUrl(item)) return item;
    return resolve(relativeTo, item.startsWith('~/') ? join(env.HOME || homedir(), item.slice(2)) : item);
  };
  return Array.isArray(value) ? value.map((item) => absolute(item)) : absolute(value);
}

/** Whether a database is a postgres:// URL; other URLs are refused. */
function isDatabaseUrl(database: string): boolean {
  if (isPostgresUrl(database)) return true;
  if (!/^[a-z]+:\/\//i.test(database)) return false;
  throw new RelayError(
    'InvalidSettings',
    `database: "${withoutPassword(database)}" is neither a path nor a postgres:// URL.`,
  );
}

const isPostgresUrl = (database: string): boolean => /^postgres(ql)?:\/\//.test(database);

export const hasPassword = (database: string): boolean =>
  isPostgresUrl(database) && withoutPassword(database) !== database;

/** A database URL without its password; a path is returned unchanged. */
export const withoutPassword = (database: string): string =>
  database
    .replace(/^(postgres(?:ql)?:\/\/[^:@/?]*):[^@]*@/, '$1:***@')
    .replace(/([?&]password=)[^&]*/g, '$1***');
