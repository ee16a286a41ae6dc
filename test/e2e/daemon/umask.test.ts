import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../kit/daemon.ts';
import { freePort } from '../../kit/free-port.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Runs commands that create files, in an empty home; `look` is called while the daemon runs. */
async function useEverything(sandbox: Sandbox, umask: string, look: (home: string) => Promise<void>) {
  const home = join(sandbox.directory, 'home');
  const shop = join(home, 'shop');
  const servers = join(home, 'servers.yaml');
  const env = {
    HOME: home,
    XDG_CACHE_HOME: undefined,
    RELAY_DATA_DIR: join(home, '.local', 'share', 'agent-relay'),
    RELAY_CONFIG: join(home, '.config', 'agent-relay'),
  };
  const run = async (...args: string[]) => {
    const result = await sandbox.cli(args, { umask, cwd: shop, env });
    expect({ args, ...result }).toMatchObject({ code: 0 });
    return result.stdout;
  };
  await mkdir(home, 0o755);
  await mkdir(shop, 0o700);
  await writeFile(servers, 'backends: []\n', { mode: 0o600 });
  await writeFile(join(shop, '.mcp.json'), '{}', { mode: 0o600 });
  await run('daemon', 'start', '--mcp-servers', servers);
  try {
    await run('send', 'Alice', 'hi', '--as', 'Alice', '--attach', servers);
    const [file = ''] = (await run('inbox', '--as', 'Alice', '--json')).match(/att_\w+/) ?? [];
    await run('attachment', 'get', file, '--as', 'Alice', '--output', 'fetched.yaml');
    await run('export', 'all.jsonl');
    await run('mcp', 'install', '--editor', 'claude');
    await run('mcp', 'install', '--editor', 'cursor');
    await run('workspace', 'rename', 'shop', 'store');
    await run('gateway', '--config', servers);
    await using launch = sandbox.startCli(['launch', '--port', String(await freePort())], {
      umask,
      cwd: shop,
      env,
    });
    await launch.until(/━ messages ━/);
    await look(home);
  } finally {
    await run('daemon', 'stop');
  }
}

/** What of these paths, or below them, another user can write to. */
async function writableForNobody(paths: string[]): Promise<string[]> {
  const script = `
    const { writeFileSync } = require('node:fs');
    const canWrite = (path) => {
      try { writeFileSync(path, '', { flag: 'a' }); return true; } catch { return false; }
    };
    const paths = ${JSON.stringify(paths)}.flatMap((path) => [path, path + '/planted']);
    console.log(JSON.stringify(paths.filter(canWrite)));`;
  const child = spawn(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} });
  const [answer] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return JSON.parse(answer);
}

it.each(['000', '027', '077'])(
  'with umask %s, creates private directories (0700), files and sockets (0600)',
  async (umask) => {
    await using sandbox = await createSandbox();
    await chmod(sandbox.directory, 0o755);
    await useEverything(sandbox, umask, async (home) => {
      const names = await readdir(home, { recursive: true });
      for (const name of names) {
        const found = await lstat(join(home, name));
        const mode = (found.mode & 0o777).toString(8);
        expect(`${mode} ${name}`).toBe(`${found.isDirectory() ? '700' : '600'} ${name}`);
      }
      const socket = '.local/share/agent-relay/projects/shop/daemon.mcp';
      for (const made of ['.cache', '.config', '.local/state', socket]) expect(names).toContain(made);
      // Only root can switch users.
      if (isRoot) expect(await writableForNobody(names.map((name) => join(home, name)))).toEqual([]);
    });
  },
);
