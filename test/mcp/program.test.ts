import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../kit/daemon.ts';
import { MCP_PROGRAM } from './kit/clients.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** Runs a script to its end, with nothing on its standard input. */
async function run(script: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const options = { env: { ...sandbox.env, ...env }, cwd: sandbox.projectDirectory };
  const running = promisify(execFile)(process.execPath, [script, ...args], options);
  running.child.stdin?.end();
  const ended = await running.then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  return { stdout: ended.stdout, stderr: ended.stderr, code: ended.code };
}

describe('agent-relay-mcp', () => {
  it('has help', async () => {
    for (const args of [['--help'], ['-h'], []]) {
      const { stdout, code } = await run(MCP_PROGRAM, args);
      expect(stdout).toContain('agent-relay-mcp serve');
      expect(code).toBe(0);
    }
    expect((await run(MCP_PROGRAM, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('refuses unknown arguments, with the next step and nothing on standard output', async () => {
    const cases: Array<[args: string[], complaint: string, env?: NodeJS.ProcessEnv]> = [
      [['dance'], 'There is no command "dance".\nnext: See: agent-relay-mcp --help\n'],
      [['serve', '--dance'], "Unknown option '--dance'"],
      [
        ['serve', '--tools', 'dance'],
        'There is no toolset "dance".\nnext: Choose from: relay, network, workspace, actions, worker, roles, gateway.\n',
      ],
      [
        ['serve', '--tools', 'roles,workspace'],
        'The toolsets "roles" and "workspace" both have a tool post_message.\nnext: ',
      ],
      [['serve'], 'There is no toolset "dance".', { RELAY_TOOLS: 'relay,dance' }],
      [['serve', '--tools', 'roles'], 'The agent name cannot contain a space.', { RELAY_ROLES: 'pm, dev a' }],
    ];
    for (const [args, complaint, env] of cases) {
      const { stdout, stderr, code } = await run(MCP_PROGRAM, args, env);
      expect(stderr.startsWith(`error: ${complaint}`), stderr).toBe(true);
      expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    }
  });

  it.each([
    [['install', '--help'], /^Usage: agent-relay-mcp install \[options\]\n(.*\n)*.*--name <name>/],
    [['uninstall', '-h'], /^Usage: agent-relay-mcp uninstall \[options\]\n(.*\n)*.*--dry-run/],
    [['serve', '--help'], /^Usage: agent-relay-mcp serve \[--tools <list>\]\n/],
  ])('explains %j', async (args, help) => {
    const { stdout, stderr, code } = await run(MCP_PROGRAM, args);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(help);
  });

  it('suggests the command that was meant', async () => {
    const { stderr, code } = await run(MCP_PROGRAM, ['instal']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: There is no command "instal"\. Did you mean install\?\n/);
  });

  it('ends quietly when its output is closed, as in a pipe to head', async () => {
    const args = [MCP_PROGRAM, 'install', '--dry-run', '-e', 'claude'];
    const child = spawn(process.execPath, args, { env: sandbox.env, cwd: sandbox.projectDirectory });
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe('');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
  });

  it('ends when its client closes standard input', async () => {
    expect(await run(MCP_PROGRAM, ['serve'])).toEqual({ stdout: '', stderr: '', code: 0 });
  });

  it('has a bundle that works without the sources', async () => {
    const build = fileURLToPath(new URL('../../build/bundle.js', import.meta.url));
    expect((await run(build, [])).code).toBe(0);
    const bundle = new URL('../../packages/mcp/dist/cli/serve.js', import.meta.url).href;
    const start = `import { main } from ${JSON.stringify(bundle)}; await main(['--tools', 'dance']);`;
    const { stderr } = await run('--input-type=module', ['-e', start]);
    expect(stderr).toContain('There is no toolset "dance".');
  });
});
