import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeProjectConfig } from '../../../packages/sdk/src/node/index.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { callTool, connectStdio } from '../../mcp/kit/clients.ts';
import { known } from './commands.ts';

/** The only project that runs is `demo`. */
let daemon: TestDaemon;
/** A directory in no project. */
let stray: string;
beforeAll(async () => {
  daemon = await startDaemon();
  stray = join(daemon.directory, 'stray');
  await mkdir(stray);
  await known(daemon, 'Alice');
});
afterAll(() => daemon[Symbol.asyncDispose]());

const status = async (options: Parameters<TestDaemon['cli']>[1], ...args: string[]) => {
  const { stdout } = await daemon.cli(['status', '--json', ...args], options);
  const { project, projectFrom, root } = JSON.parse(stdout);
  return { project, projectFrom, root };
};
const NOTE = () =>
  `note: Using project demo (${daemon.projectDirectory}), the only one running: ${stray} is no project. ` +
  'Open it as one with: agent-relay start; or name the other: --project demo\n';

describe('a directory that is no project, while another one is the only one that runs', () => {
  it.each([
    ['who'],
    ['inbox', '--as', 'Bob'],
    ['send', 'Alice', 'hi', '--as', 'Bob'],
    ['status'],
    ['history'],
  ])('a command says whose project it uses, once: %s', async (...args) => {
    const { code, stderr } = await daemon.cli(args, { cwd: stray });
    expect({ code, stderr }).toEqual({ code: 0, stderr: NOTE() });
    expect((await daemon.cli(args)).stderr).toBe('');
    expect((await daemon.cli([...args, '--project', 'demo'], { cwd: stray })).stderr).toBe('');
  });

  it('the status says where the project comes from', async () => {
    const root = daemon.projectDirectory;
    const demo = { project: 'demo', root };
    expect(await status({ cwd: stray })).toEqual({ ...demo, projectFrom: 'only-one' });
    expect(await status({ cwd: root })).toEqual({ ...demo, projectFrom: 'config' });
    expect(await status({ cwd: stray }, '--project', 'demo')).toEqual({ ...demo, projectFrom: 'flag' });
    for (const env of [{ RELAY_PROJECT: 'demo' }, { RELAY_SOCKET: daemon.socketPath }])
      expect(await status({ cwd: stray, env })).toEqual({ ...demo, projectFrom: 'env' });
    const { stdout } = await daemon.cli(['status'], { cwd: stray });
    expect(stdout).toMatch(/^project +demo \(the only one running\)\n/);
    expect(output(await daemon.cli(['status']))).toContain(`demo (from ${join(root, '.relay/config.json')})`);
  });

  it('an MCP server tells its model, in the instructions and the status, and the log', async () => {
    await using client = await connectStdio({ env: daemon.env, projectDirectory: stray });
    const { texts, data } = await callTool(client, 'relay_status');
    expect(data).toMatchObject({ project: 'demo', projectFrom: 'only-one' });
    expect(texts[0]).toContain(NOTE().trim());
    expect(client.getInstructions()).toContain('Using project demo, the only one running');
    await using chosen = await connectStdio(daemon);
    expect(chosen.getInstructions()).not.toContain('Using project');
    expect((await callTool(chosen, 'relay_status')).texts[0]).not.toContain('note:');
  });

  it('is not told while words are completed', async () => {
    const words = ['completion', 'complete', 'send', ''];
    expect((await daemon.cli(words, { cwd: stray })).stderr).not.toContain('Using project');
  });
});

describe('a project that is named and is not there', () => {
  const wrongRoots: Array<[string, () => string, RegExp]> = [
    [
      'names no directory',
      () => '/path/to/project',
      /RELAY_PROJECT_ROOT is \/path\/to\/project, but it does not exist\./,
    ],
    [
      'names a directory in no project',
      () => stray,
      /stray \(from RELAY_PROJECT_ROOT\) is not in a project\./,
    ],
  ];
  it.each(wrongRoots)('is not another one, if RELAY_PROJECT_ROOT %s', async (_what, root, message) => {
    const env = { RELAY_PROJECT_ROOT: root() };
    for (const args of [['who'], ['send', 'Alice', 'x', '--as', 'Bob'], ['status']]) {
      const refused = await daemon.cli(args, { env });
      expectFailure(refused, refused.code ?? 0, message);
      expect(refused.code).not.toBe(0);
    }
    await using client = await connectStdio(daemon, { env });
    expect((await callTool(client, 'relay_who')).texts[0]).toMatch(message);
    // A hook says nothing, and joins nothing.
    const input = JSON.stringify({ hook_event_name: 'Stop', session_id: 's' });
    output(await daemon.cli(['send', 'Alice', 'x', '--as', 'Bob']));
    const hook = await daemon.cli(['hook', 'codex'], { env: { ...env, RELAY_AGENT_NAME: 'Alice' }, input });
    expect(hook).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('does not start a daemon for a directory that is not there', async () => {
    const env = { RELAY_PROJECT_ROOT: '/path/to/project' };
    expectFailure(
      await daemon.cli(['start'], { env }),
      2,
      /RELAY_PROJECT_ROOT is \/path\/to\/project/,
      /unset it/,
    );
  });

  it('is named with its file, if it is recorded', async () => {
    const cwd = join(daemon.directory, 'recorded');
    await mkdir(cwd);
    await writeProjectConfig({ root: cwd, project: 'gone', socketPath: join(cwd, 'gone.sock') });
    expectFailure(
      await daemon.cli(['who'], { cwd }),
      3,
      /does not serve the project "gone" \(from .*\/recorded\/\.relay\/config\.json\)\./,
      /Open it again in .*\/recorded with: agent-relay daemon start/,
    );
  });

  it('leads from a stale RELAY_SOCKET to the daemon that runs', async () => {
    const env = { RELAY_SOCKET: join(daemon.directory, 'stale.sock') };
    for (const args of [['who'], ['workspace', 'list']])
      expectFailure(
        await daemon.cli(args, { env }),
        3,
        /No daemon listens on .*stale\.sock \(from RELAY_SOCKET\)\./,
        /unset RELAY_SOCKET, or set it to .*daemon\.sock/,
      );
  });
});

it('keeps its agents under RELAY_SOCKET, whatever RELAY_PROJECT says', async () => {
  const as = (env: NodeJS.ProcessEnv) => daemon.cli(['inbox', '--as', 'Alice'], { cwd: stray, env });
  const env = { RELAY_SOCKET: daemon.socketPath, RELAY_PROJECT: 'lab' };
  output(await as(env));
  // A socket elsewhere, which does not tell its project.
  const link = join(daemon.directory, 'link.sock');
  await symlink(daemon.socketPath, link);
  output(await as({ ...env, RELAY_SOCKET: link }));
});

it.each(['http://', 'ws://'])(
  'finds the WebSocket of an address as typed in a browser: %s',
  async (scheme) => {
    const { key } = json(await daemon.cli(['workspace', 'key', 'create', '--json']));
    const env = { RELAY_URL: `${scheme}${daemon.http}`, RELAY_WORKSPACE_KEY: key };
    expect(json(await daemon.cli(['status', '--json'], { cwd: stray, env }))).toMatchObject({
      project: 'demo',
      projectFrom: 'env',
    });
    expectFailure(
      await daemon.cli(['who'], { env: { ...env, RELAY_URL: 'ftp://host' } }),
      2,
      /"ftp:\/\/host" is not the address of a daemon/,
      /https:/,
    );
  },
);
