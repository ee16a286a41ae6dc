import { type FSWatcher, watch } from 'chokidar';

/** Editors write in several steps; the file is read when it has been quiet for this long. */
const QUIET_MS = 60;

/** Calls `changed` after any of the files changed, appeared or went away. */
export function watchFiles(
  files: string[],
  changed: () => void,
): { ready: Promise<void>; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  const watcher: FSWatcher = watch(files, { ignoreInitial: true });
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_MS);
  });
  return {
    ready: new Promise((resolve) => watcher.once('ready', () => resolve())),
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
