import { randomUUID } from 'node:crypto';
import { open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RelayError } from '@agent-relay/protocol';
import { ensureDirectory } from './ensure-directory.ts';
import { entriesOf, loadConfig, openConfig } from './load.ts';

/** Adds a backend reached by URL to a file, in the form the file already uses. One that is disabled keeps its name. */
export async function saveBackend(file: string, name: string, url: string): Promise<void> {
  const text = await openConfig(file);
  const taken = entriesOf(file, text).find(({ entry }) => entry.name === name);
  if (taken) {
    throw new RelayError(
      'BackendExists',
      `${file}:${text.position(taken.path)} has a server named '${name}'.`,
      {
        next: 'Choose another name, or enable that one in the file.',
      },
    );
  }
  const root = (text.value ?? {}) as Record<string, unknown>;
  if (root.mcpServers !== undefined && root.backends === undefined && root.servers === undefined) {
    return writeAtomically(file, text.withValue(['mcpServers', name], { url }));
  }
  const key = root.backends === undefined && root.servers !== undefined ? 'servers' : 'backends';
  const list = root[key];
  await writeAtomically(
    file,
    Array.isArray(list)
      ? text.withValue([key, list.length], { name, url })
      : text.withValue([key], [{ name, url }]),
  );
}

/** Removes a backend from whichever of the files holds it. */
export async function forgetBackend(files: string[], name: string): Promise<void> {
  const entry = (await loadConfig(files, {})).find(({ config }) => config.name === name);
  if (!entry) throw new RelayError('BackendNotFound', `No configuration file holds "${name}".`);
  await writeAtomically(entry.file, (await openConfig(entry.file)).without(entry.path));
}

/** A reader sees the old file or the new one, never half of it; links and permissions stay as they were. */
export async function writeAtomically(file: string, content: string, mode?: number): Promise<void> {
  await ensureDirectory(dirname(file));
  const target = await realpath(file).catch(() => file);
  const permissions =
    mode ??
    (await stat(target).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    ));
  const temporary = `${target}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    // Not when it is made: then the umask would take part.
    await handle.chmod(permissions);
    await handle.sync();
    await handle.close();
    await rename(temporary, target);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}
