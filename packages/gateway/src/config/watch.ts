/** Editors write in several steps. The file is read when it has not changed for this long. */
const QUIET_MS = 60;

export interface FileWatch {
  close(): Promise<void>;
}

/**
 * Calls `changed` after any of the files changed, appeared or disappeared, and `failed` if it cannot watch them.
 * Resolves when it is watching or has failed.
 */
export async function watchFiles(
  files: string[],
  changed: () => void,
  failed: (error: unknown) => void,
): Promise<FileWatch> {
  // Loaded while the backends start, not before.
  const { watch } = await import('chokidar');
  const watcher = watch(files, { ignoreInitial: true });
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_MS);
  });
  await new Promise<void>((resolve) => {
    watcher.once('ready', resolve);
    watcher.on('error', (error) => {
      failed(error);
      resolve();
    });
  });
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
