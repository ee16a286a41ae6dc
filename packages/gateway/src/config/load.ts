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

/** A configured backend, and where it is configured. */
export interface ConfiguredBackend {
  config: BackendConfig;
  file: string;
  path: ConfigPath;
  /** What it offers until it has connected. */
  meanwhile?: Lists;
  /** Set if the entry is valid but cannot run, for example because a variable is not set. */
  problem?: string;
}

/**
 * Reads all files in order. Any mistake throws, with file, line and column, so nothing is half applied. Programs run in
 * the directory that `directoryOf` returns for their file.
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
      if (twin) throw invalid(file, text, path, `the name "${entry.name}" is already used in ${twin.file}`);
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

/** A missing file is an empty configuration; adding a backend creates it. */
export async function openConfig(file: string): Promise<ConfigText> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new RelayError(
      'InvalidBackendConfig',
      `Cannot read ${file}: ${systemReason(error, 'it does not exist')}.`,
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

/** Parsers are loaded on demand. */
async function parseConfig(file: string, content: string): Promise<ConfigText> {
  if (/\.ya?ml$/i.test(file)) return (await import('./yaml-text.ts')).yamlText(content);
  return (await import('./json-text.ts')).jsonText(content);
}

const LISTS = ['backends', 'servers', 'mcpServers'];

/** Entries of all three forms: `backends` and `servers` lists, and an `mcpServers` map. */
export function entriesOf(file: string, text: ConfigText): Array<{ path: ConfigPath; entry: ListedBackend }> {
  const root = text.value ?? {};
  if (typeof root !== 'object' || Array.isArray(root)) {
    throw invalid(file, text, [], 'expected a map with "backends", "servers" or "mcpServers"');
  }
  if (Object.keys(root).length > 0 && !LISTS.some((list) => list in root)) {
    throw invalid(file, text, [], 'expected "backends", "servers" or "mcpServers"');
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
