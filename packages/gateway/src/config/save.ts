import { dirname } from 'node:path';
import { ensureDirectory, writeAtomically } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';
import { entriesOf, loadConfig, openConfig } from './load.ts';

/** Adds a backend with a URL to a file, in the format the file uses. Names of disabled entries stay reserved. */
export async function saveBackend(file: string, name: string, url: string): Promise<void> {
  const text = await openConfig(file);
  const taken = entriesOf(file, text).find(({ entry }) => entry.name === name);
  if (taken) {
    throw new RelayError(
      'BackendExists',
      `${file}:${text.position(taken.path)} already has a server named '${name}'.`,
      {
        next: 'Choose another name, or enable that one in the file.',
      },
    );
  }
  const root = (text.value ?? {}) as Record<string, unknown>;
  if (root.mcpServers !== undefined && root.backends === undefined && root.servers === undefined) {
    return write(file, text.withValue(['mcpServers', name], { url }));
  }
  const key = root.backends === undefined && root.servers !== undefined ? 'servers' : 'backends';
  const list = root[key];
  await write(
    file,
    Array.isArray(list)
      ? text.withValue([key, list.length], { name, url })
      : text.withValue([key], [{ name, url }]),
  );
}

/** Removes a backend from the file that lists it. */
export async function forgetBackend(files: string[], name: string): Promise<void> {
  const entry = (await loadConfig(files, {})).find(({ config }) => config.name === name);
  if (!entry) throw new RelayError('BackendNotFound', `No configuration file lists '${name}'.`);
  await write(entry.file, (await openConfig(entry.file)).without(entry.path));
}

/** Keeps mode, owner and links of the file: it belongs to the user. */
async function write(file: string, content: string): Promise<void> {
  await ensureDirectory(dirname(file));
  await writeAtomically(file, content, { keepAttributes: true });
}
