import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openStore } from '../store/open.ts';
import { openTerminalLog } from './log/log.ts';
import { runDaemon } from './run.ts';
import { loadSettings } from './settings/settings.ts';

it('publishes the names of projects at its start, also if no project is opened', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'relay-run-'));
  const env = { RELAY_CONFIG: directory, RELAY_DATA_DIR: directory, HOME: directory, RELAY_HTTP_PORT: '0' };
  const settings = await loadSettings(env);
  const run = async () =>
    runDaemon({
      settings,
      startedFor: { directory },
      store: await openStore(settings.database, { onFatal: () => undefined }),
      log: openTerminalLog(settings, () => undefined),
      program: '',
    });
  try {
    const first = await run();
    await first.openProject(join(directory, 'demo'), 'demo');
    await first.stop();
    // As a daemon leaves it that is killed right after the rename is stored.
    const database = new DatabaseSync(settings.database);
    database.exec(`UPDATE workspaces SET name = 'shop', former_names = '["demo"]'`);
    database.close();
    const second = await run();
    const names = JSON.parse(await readFile(join(directory, 'projects', 'names.json'), 'utf8'));
    await second.stop();
    expect(names).toEqual([{ name: 'shop', directory: 'demo', formerNames: ['demo'] }]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
