import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox, startDaemon } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { freePort } from '../../kit/free-port.ts';
import { callTool, connectClient, connectStdio, type TestClient } from '../../mcp/kit/clients.ts';
import { sseTransport } from '../../mcp/kit/http-door.ts';
import { toolNames } from './kit.ts';

const session = (port: number, options = {}) =>
  connectClient(sseTransport(`http://localhost:${port}/sse`, options));
const post = (client: TestClient, from: string, to: string, kind: string, body: string) =>
  callTool(client, 'post_message', { from, to, kind, body });
const read = async (client: TestClient, role: string) =>
  (await callTool(client, 'read_messages', { for: role })).data.messages as Array<{ body: string }>;
/** A command that is running with its roles ready. */
async function launched(sandbox: Sandbox, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const port = await freePort();
  const running = sandbox.startCli(['launch', '--port', String(port), ...args], { env });
  await running.until(/━ messages ━/);
  return { running, port };
}

describe('agent-relay launch', () => {
  it('without a daemon serves the roles, prints their prompts and then their messages', async () => {
    await using sandbox = await createSandbox();
    const { running, port } = await launched(sandbox);
    await using pm = await session(port);
    await using dev = await session(port);
    expect((await toolNames(pm)).sort()).toEqual(['list_pending', 'post_message', 'read_messages']);
    await post(
      dev,
      'dev-b',
      'pm',
      'status',
      '## STATUS UPDATE — DEV-B\n\nTask P4 DONE,\nlast commit abc1234',
    );
    await post(dev, 'dev-a', 'pm', 'question', 'Which\u001b[31m port?');
    await running.until(/\[\d\d:\d\d:\d\d\] dev-b → pm \[status\] "Task P4 DONE, last commit abc1234"/);
    await running.until(/\[\d\d:\d\d:\d\d\] dev-a → pm \[question\] "Which�\[31m port\?"/);
    expect((await callTool(pm, 'list_pending', { for: 'pm' })).data).toMatchObject({ count: 2 });
    expect((await read(pm, 'pm')).map(({ body }) => body.split('\n')[0])).toEqual([
      '## STATUS UPDATE — DEV-B',
      'Which\u{FFFD}[31m port?',
    ]);
    expect(await read(pm, 'pm')).toEqual([]);
    running.child.kill('SIGINT');
    const { code, stdout } = await running.result;
    expect(code).toBe(0);
    for (const role of ['pm', 'dev-a', 'dev-b']) expect(stdout).toContain(`━━━ ${role} ━`);
    expect(stdout).toContain('`read_messages(for="dev-a")`');
    expect(stdout).toContain('## STATUS UPDATE — DEV-A');
    expect(stdout).toMatch(
      /`post_message\(from="pm", to, kind, body\)` writes to dev-a, dev-b\. Call it after you write any status, question or directive,/,
    );
    expect(stdout).toContain('start each session under the name of its role: RELAY_AGENT_NAME=pm claude');
    expect(stdout).toContain(`"url": "http://localhost:${port}/sse"`);
    // The daemon it ran has stopped with it.
    expect((await sandbox.cli(['daemon', 'status'])).code).toBe(3);
  });

  it('reports that its templates cannot be written', async () => {
    await using sandbox = await createSandbox();
    await writeFile(join(sandbox.configDirectory, 'launch'), '');
    expect(await sandbox.cli(['launch'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Cannot write \S+kickoff\.md: .*\nnext: Set RELAY_CONFIG .*\n$/),
    });
  });

  it('refuses messages for an unknown role', async () => {
    await using sandbox = await createSandbox();
    const { running, port } = await launched(sandbox, ['--roles', 'architect,@tester']);
    await using ended = running;
    await using client = await session(port);
    expect(await post(client, 'architect', 'pm', 'free', 'x')).toMatchObject({ isError: true });
    expect(await post(client, 'pm', 'tester', 'free', 'x')).toMatchObject({ isError: true });
    expect(await read(client, 'tester')).toEqual([]);
    ended.child.kill('SIGTERM');
    expect((await ended.result).code).toBe(0);
  });

  it('accepts messages for a role without a session', async () => {
    await using daemon = await startDaemon();
    const { running, port } = await launched(daemon);
    await using _ended = running;
    expect((await daemon.cli(['send', '--as', 'Bob', 'pm', 'Begin with the parser.'])).code).toBe(0);
    await running.until(/Bob → pm \[free\] "Begin with the parser\."/);
    await using client = await session(port);
    expect(await read(client, 'pm')).toMatchObject([{ body: 'Begin with the parser.' }]);
  });

  it('shows messages that the loop governor holds', async () => {
    await using sandbox = await createSandbox({ settings: { governor: { emptyTurns: 2 } } });
    const { running, port } = await launched(sandbox);
    await using _ended = running;
    await using client = await session(port);
    for (let turn = 0; turn < 2; turn++) {
      await post(client, 'pm', 'dev-a', 'free', 'thanks');
      await post(client, 'dev-a', 'pm', 'free', 'thanks');
    }
    const { data } = await post(client, 'pm', 'dev-a', 'free', 'thanks');
    expect(data.held).toMatch(/^muted by loop governor/);
    await running.until(
      /pm → dev-a \[held\] "thanks" \(muted by loop governor[^)]*agent-relay held release msg_\w+\)/,
    );
  });

  it("gives a session its role's identity only, also beside an installed entry", async () => {
    await using daemon = await startDaemon();
    const { running, port } = await launched(daemon);
    await using _ended = running;
    await using inRole = await connectClient(sseTransport(`http://localhost:${port}/sse`), {
      name: 'claude-code',
    });
    await post(inRole, 'pm', 'dev-a', 'directive', 'Begin with the parser');
    const env = { RELAY_AGENT_NAME: 'pm' };
    await using installed = await connectStdio(daemon, { name: 'claude-code', env });
    expect((await callTool(installed, 'relay_status')).data.agentName).toBe('pm');
    const known = JSON.parse((await daemon.cli(['who', '--all', '--json'])).stdout) as Array<{
      name: string;
    }>;
    expect(known.map(({ name }) => name).sort()).toEqual(['dev-a', 'dev-b', 'pm']);
  });

  it('uses a running daemon, which continues after it and keeps the messages', async () => {
    await using daemon = await startDaemon();
    const first = await launched(daemon);
    await using client = await session(first.port);
    await post(client, 'pm', 'dev-a', 'directive', 'PROCEED to task B1');
    first.running.child.kill('SIGTERM');
    await first.running.result;
    const second = await launched(daemon);
    await using again = await session(second.port);
    expect(await read(again, 'dev-a')).toMatchObject([{ body: 'PROCEED to task B1' }]);
    // A person can write to a role; that is shown too.
    await daemon.cli(['send', 'pm', 'Stop for today.', '--as', 'Boss']);
    await second.running.until(/Boss → pm \[free\] "Stop for today\."/);
    second.running.child.kill('SIGTERM');
    await second.running.result;
    expect((await daemon.cli(['daemon', 'status'])).code).toBe(0);
  });

  it('says how to free its port, and exits with 1', async () => {
    await using sandbox = await createSandbox();
    const { running, port } = await launched(sandbox);
    await using ended = running;
    // A connected session must not be killed with it.
    await using _session = await session(port);
    const refused = await sandbox.cli(['launch', '--port', String(port)]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    const { pid } = ended.child;
    expect(refused.stderr).toBe(
      `error: Port ${port} on 127.0.0.1 is in use by process ${pid} (node agent-relay.js launch).\n` +
        `next: Is the relay already running? Choose another port with --port, or stop that program: kill ${pid}\n`,
    );
    ended.child.kill('SIGKILL');
    await ended.result;
  });

  it.each([
    ['RELAY_HTTP_PORT', {}],
    ['RELAY_MCP_HTTP_PORT', { RELAY_MCP_HTTP_ENABLED: 'true' }],
  ])('does not suggest its own --port if its daemon cannot use %s', async (name, env) => {
    await using sandbox = await createSandbox();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const refused = await sandbox.cli(['launch', '--port', String(await freePort())], {
      env: { ...env, [name]: String(port) },
    });
    server.close();
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is in use by process ${process.pid} (`);
    expect(refused.stderr).toContain(`next: Choose another port with ${name}, or stop`);
    expect(refused.stderr).not.toContain('--port');
  });

  it('takes its prompts from templates that the user can edit', async () => {
    await using sandbox = await createSandbox();
    const templates = join(sandbox.configDirectory, 'launch');
    const { running } = await launched(sandbox, ['--roles', 'pm,dev']);
    running.child.kill('SIGTERM');
    await running.result;
    expect(await readFile(join(templates, 'kickoff.md'), 'utf8')).toContain('{role}');
    await writeFile(join(templates, 'kickoff.md'), 'You, {role}, work with {others}. {untouched}');
    await writeFile(join(templates, 'pm.md'), 'You lead {roles}, {ROLE}.');
    const edited = await launched(sandbox, ['--roles', 'pm,dev']);
    edited.running.child.kill('SIGTERM');
    const { stdout } = await edited.running.result;
    expect(stdout).toContain('You, dev, work with pm. {untouched}');
    expect(stdout).toContain('You lead pm, dev, PM.');
  });

  it.each([
    ['RELAY_MCP_API_KEY', { env: { RELAY_MCP_API_KEY: 'a-secret-of-mine' } }],
    ['the settings', { settings: { mcp: { apiKey: 'a-secret-of-mine' } } }],
  ])('requires the key of %s, and puts it into the entry for the client', async (_where, options) => {
    await using sandbox = await createSandbox(options);
    const key = 'a-secret-of-mine';
    const { running, port } = await launched(sandbox);
    await using ended = running;
    await expect(session(port)).rejects.toThrow('401');
    await using client = await session(port, { key });
    expect(await post(client, 'pm', 'dev-a', 'free', 'with a key')).toMatchObject({ isError: false });
    ended.child.kill('SIGTERM');
    expect((await ended.result).stdout).toContain(`"Authorization": "Bearer ${key}"`);
  });

  it.each([
    [['--roles', 'pm,PM'], 'twice'],
    [['--roles', ','], 'is empty'],
    [['--roles', 'lead,dev'], 'reserved'],
    [['--tmux', '--kitty'], 'cannot be used with'],
  ])('refuses %j', async (args, reason) => {
    await using sandbox = await createSandbox();
    const refused = await sandbox.cli(['launch', ...args]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

describe.skipIf(!hasTmux)('agent-relay launch --tmux (needs the package tmux)', () => {
  it('opens the relay and a shell for each role, with its command typed but not run', async () => {
    await using sandbox = await createSandbox();
    // A server of its own, far from the user's.
    const env = { ...sandbox.env, TMUX_TMPDIR: sandbox.directory, SHELL: '/bin/sh' };
    const tmux = async (...args: string[]) =>
      (await promisify(execFile)('tmux', args, { env })).stdout.trim();
    const port = await freePort();
    const args = [
      'launch',
      '--tmux',
      '--port',
      String(port),
      '--roles',
      'pm,dev',
      '--command',
      'touch {prompt}.ran',
    ];
    const opened = await sandbox.cli(args, { env });
    try {
      expect(opened).toMatchObject({ code: 0, stdout: `Attach with: tmux attach -t relay-${port}\n` });
      const panes = await tmux('list-panes', '-t', `relay-${port}`, '-F', '#{pane_title} #{pane_id}');
      expect(panes.split('\n').map((line) => line.split(' ')[0])).toEqual(['relay', 'pm', 'dev']);
      const [, devPane = ''] = panes.split('\n')[2]?.split(' ') ?? [];
      await using client = await eventually(() => session(port));
      expect(await post(client, 'pm', 'dev', 'free', 'hello')).toMatchObject({ isError: false });
      await expect.poll(() => tmux('capture-pane', '-p', '-J', '-t', devPane)).toContain('dev.md.ran');
      await tmux('send-keys', '-t', devPane, 'C-u');
      await tmux('send-keys', '-t', devPane, 'echo "I am $RELAY_AGENT_NAME"', 'Enter');
      await expect.poll(() => tmux('capture-pane', '-p', '-t', devPane)).toContain('I am dev');
      const files = join(sandbox.dataDirectory, 'launch', String(port));
      expect(await readFile(join(files, 'dev.md'), 'utf8')).toContain('You are dev');
      expect(await readFile(join(files, 'mcp.json'), 'utf8')).toContain(`localhost:${port}/sse`);
      await expect(readFile(join(files, 'dev.md.ran'))).rejects.toThrow('ENOENT');
    } finally {
      await tmux('kill-server');
    }
  });
});

describe('agent-relay launch --kitty', () => {
  it('opens a tab in kitty with a window for each, and types the commands', async () => {
    await using sandbox = await createSandbox();
    // A fake kitty: records its arguments, and numbers its windows.
    const bin = join(sandbox.directory, 'bin');
    const journal = join(sandbox.directory, 'kitty.log');
    await mkdir(bin);
    await writeFile(
      join(bin, 'kitty'),
      `#!/bin/sh\necho "$@" >> ${journal}\n[ "$2" = launch ] && grep -c '^@ launch' ${journal}\n[ "$2" = send-text ] && cat - >> ${journal} && echo >> ${journal}\nexit 0\n`,
    );
    await chmod(join(bin, 'kitty'), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const port = await freePort();
    const opened = await sandbox.cli(
      ['launch', '--kitty', '--port', String(port), '--roles', 'pm,dev', '--command', 'codex {prompt}'],
      { env },
    );
    expect(opened).toMatchObject({ code: 0, stderr: '' });
    const asked = (await readFile(journal, 'utf8')).split(/^(?=@ )/m);
    expect(asked.map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
      'launch --type=tab',
      'send-text --match=id:1',
      'launch --type=window',
      'send-text --match=id:2',
      'launch --type=window',
      'send-text --match=id:3',
    ]);
    expect(asked[1]).toMatch(/launch --log-only .*\r\n$/);
    expect(asked[3]).toMatch(/codex \S+pm\.md\n$/);
    expect(asked[0]).not.toContain('RELAY_AGENT_NAME');
    expect(asked[2]).toContain('--env=RELAY_AGENT_NAME=pm');
    expect(asked[4]).toContain('--env=RELAY_AGENT_NAME=dev');
  });

  it('reports that kitty is missing', async () => {
    await using sandbox = await createSandbox();
    const refused = await sandbox.cli(['launch', '--kitty', '--port', String(await freePort())], {
      env: { PATH: sandbox.directory },
    });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Install or configure kitty') });
  });
});
