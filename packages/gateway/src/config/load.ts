import { readFile } from 'node:fs/promises';
import { systemReason } from '@agent-relay/platform';
import { issueText, RelayError } from '@agent-relay/protocol';
import type { z } from 'zod';
import type { Lists } from '../catalog/catalog.ts';
import {
  type BackendConfig,
  editorBackend,
  isEnabled,
  type ListedBackend,
  listedBackend,
  toBackendConfig,
} from './backend-config.ts';
import { type ConfigPath, ConfigSyntaxError, type ConfigText } from './config-text.ts';

/** A backend of the files, where it is written, and why it cannot run if it cannot. */
export interface ConfiguredBackend {
  config: BackendConfig;
  file: string;
  path: ConfigPath;
  /** What is offered as its own until it could be asked. */
  meanwhile?: Lists;
  /** Set when the entry is well-formed but cannot be used, such as a variable that is set nowhere. */
  problem?: string;
}

/**
 * Reads all files in order. Any mistake throws with file, line and column, so that nothing is half applied. Programs run
 * in the directory that `directoryOf` has for their file, if it has one.
 */
export async function loadConfig(
  files: string[],
  env: NodeJS.ProcessEnv,
  directoryOf: (file: string) => string | undefined = () => undefined,
): Promise<ConfiguredBackend[]> {
  const all: ConfiguredBackend[] = [];
  for (const file of files) {
    const text = await openConfig(file);
    for (const { path, entry } of entriesOf(file, text)) {
      if (!isEnabled(entry)) continue;
      const twin = all.find(({ config }) => config.name === entry.name);
      if (twin) throw invalid(file, text, path, `the name "${entry.name}" is taken in ${twin.file}`);
      const { config, missing } = toBackendConfig(entry, env, directoryOf(file));
      all.push({
        config,
        file,
        path,
        ...(missing.length === 0
          ? {}
          : { problem: `${missing.join(', ')} not set (${file}:${text.position(path)})` }),
      });
    }
  }
  return all;
}

/** A file that does not exist yet is an empty configuration: the first added backend creates it. */
export async function openConfig(file: string): Promise<ConfigText> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new RelayError(
      'InvalidBackendConfig',
      `${file} cannot be read: ${systemReason(error, 'it is not there')}.`,
      {
        cause: error,
      },
    );
  });
  try {
    return await parseConfig(file, content);
  } catch (error) {
    if (!(error instanceof ConfigSyntaxError)) throw error;
    throw new RelayError('InvalidBackendConfig', `${file}:${error.position}: ${error.message}`, {
      cause: error,
    });
  }
}

/** Each kind of file brings its own parser, loaded when there is such a file. */
async function parseConfig(file: string, content: string): Promise<ConfigText> {
  if (/\.ya?ml$/i.test(file)) return (await import('./yaml-text.ts')).yamlText(content);
  return (await import('./json-text.ts')).jsonText(content);
}

const LISTS = ['backends', 'servers', 'mcpServers'];

/** The three forms a file may have: `backends` or `servers` as lists, `mcpServers` as a map. */
export function entriesOf(file: string, text: ConfigText): Array<{ path: ConfigPath; entry: ListedBackend }> {
  const root = text.value ?? {};
  if (typeof root !== 'object' || Array.isArray(root)) {
    throw invalid(file, text, [], 'the file must hold a map with "backends", "servers" or "mcpServers"');
  }
  if (Object.keys(root).length > 0 && !LISTS.some((list) => list in root)) {
    throw invalid(file, text, [], 'none of "backends", "servers" and "mcpServers" is here');
  }
  const found: Array<{ path: ConfigPath; entry: ListedBackend }> = [];
  for (const key of ['backends', 'servers'] as const) {
    const list = (root as Record<string, unknown>)[key] ?? [];
    if (!Array.isArray(list)) throw invalid(file, text, [key], `"${key}" must be a list`);
    list.forEach((item, index) => {
      found.push({ path: [key, index], entry: check(file, text, [key, index], listedBackend, item) });
    });
  }
  const map = (root as Record<string, unknown>).mcpServers ?? {};
  if (typeof map !== 'object' || map === null)
    throw invalid(file, text, ['mcpServers'], '"mcpServers" must be a map');
  for (const [name, item] of Object.entries(map)) {
    const path = ['mcpServers', name];
    const { disabled, ...rest } = check(file, text, path, editorBackend, item);
    const entry = check(file, text, path, listedBackend, {
      name,
      ...rest,
      enabled: rest.enabled ?? !disabled,
    });
    found.push({ path, entry });
  }
  return found;
}

function check<T>(file: string, text: ConfigText, path: ConfigPath, schema: z.ZodType<T>, value: unknown): T {
  const outcome = schema.safeParse(value, { error: issueText });
  if (outcome.success) return outcome.data;
  const issue = outcome.error.issues[0];
  const inner = (issue?.path ?? []).filter((part) => typeof part !== 'symbol');
  const where = inner.length === 0 ? '' : `${inner.join('.')}: `;
  throw invalid(file, text, [...path, ...inner], `${where}${issue?.message ?? 'not valid'}`);
}

const invalid = (file: string, text: ConfigText, path: ConfigPath, problem: string) =>
  new RelayError('InvalidBackendConfig', `${file}:${text.position(path)}: ${problem}`);
