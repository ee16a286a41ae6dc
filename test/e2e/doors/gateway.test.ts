import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import { createSandbox } from '../../kit/daemon.ts';
import { expectFailure, json } from '../../kit/results.ts';
import { callTool, connectClient } from '../../mcp/kit/clients.ts';
import { httpTransport } from '../../mcp/kit/http-door.ts';
import { connectToCommand, toolNames } from './kit.ts';

/** A sandbox with a file of servers in it. */
async function withBackends(...backends: unknown[]) {
  const sandbox = await createSandbox();
  const file = join(sandbox.projectDirectory, 'backends.yaml');
  await writeFile(file, JSON.stringify({ backends }));
  return { sandbox, file };
}

describe('agent-relay gateway', () => {
  it('serves the tools of the servers in backends.yaml, without a daemon', async () => {
    const { sandbox } = await withBackends(scripted('one', { tools: [tool('first')] }));
    await using _ended = sandbox;
    await using gateway = await connectToCommand(sandbox, ['gateway']);
    expect(await toolNames(gateway.client)).toEqual(expect.arrayContaining(['first', 'relay_get_status']));
    expect(await callTool(gateway.client, 'first')).toMatchObject({ isError: false });
    expect(gateway.garbage).toEqual([]);
  });

  it('reads several files, and offers search tools in place of all tools', async () => {
    const { sandbox, file } = await withBackends(scripted('one', { tools: [tool('first')] }));
    await using _ended = sandbox;
    const second = join(sandbox.projectDirectory, 'more.yaml');
    await writeFile(second, JSON.stringify({ backends: [scripted('two', { tools: [tool('second')] })] }));
    const files = ['--config', file, '--config', second];
    await using all = await connectToCommand(sandbox, ['gateway', ...files]);
    expect(await toolNames(all.client)).toEqual(expect.arrayContaining(['first', 'second']));
    await using search = await connectToCommand(sandbox, ['gateway', ...files, '--search']);
    expect(await toolNames(search.client)).not.toContain('first');
  });

  it('serves HTTP, and on other interfaces only with a key', async () => {
    const { sandbox } = await withBackends(scripted('one', { tools: [tool('first')] }));
    await using _ended = sandbox;
    await using running = sandbox.startCli(['gateway', '--http', '0']);
    const [, url = ''] = await running.until(/Listening on (\S+)/);
    await using client = await connectClient(httpTransport({ url }));
    expect(await toolNames(client)).toContain('first');
    await client.close();
    running.child.kill('SIGTERM');
    expect(await running.result).toMatchObject({ code: 0, stdout: '' });
    const refused = await sandbox.cli(['gateway', '--http', '0', '--host', '0.0.0.0']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('RELAY_MCP_API_KEY') });
  });

  it('requires the key of the settings too, and accepts the addresses of this machine', async () => {
    const { sandbox } = await withBackends(scripted('one', { tools: [tool('first')] }));
    await using _ended = sandbox;
    const apiKey = 'the-key-of-the-settings';
    await sandbox.writeSettings({ mcp: { apiKey, allowedHosts: ['relay.example'] } });
    await using running = sandbox.startCli(['gateway', '--http', '0', '--host', '0.0.0.0']);
    const [, port] = await running.until(/Listening on http:\/\/0\.0\.0\.0:(\d+)\/mcp/);
    const status = async (host: string, headers: Record<string, string> = {}) => {
      const asked = request(`http://127.0.0.1:${port}/mcp`, { headers: { ...headers, Host: host } }).end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await status('127.0.0.1')).toBe(401);
    const bearer = { Authorization: `Bearer ${apiKey}` };
    // Let in, and told that it named no session.
    for (const host of ['127.0.0.1', hostname(), 'relay.example', '127.0.0.1:80'])
      expect(await status(host, { ...bearer, Accept: 'text/event-stream' }), host).toBe(400);
    expect(await status('evil.example', bearer)).toBe(403);
  });

  it('reports a missing file, and reads it when it is created', async () => {
    await using sandbox = await createSandbox();
    const file = join(sandbox.projectDirectory, 'own.yaml');
    const gateway = await connectToCommand(sandbox, ['gateway', '--config', 'own.yaml']);
    expect(await toolNames(gateway.client)).not.toContain('first');
    await writeFile(file, JSON.stringify({ backends: [scripted('one', { tools: [tool('first')] })] }));
    await expect.poll(() => toolNames(gateway.client), { timeout: 10_000 }).toContain('first');
    await gateway.client.close();
    expect(await gateway.saidAside).toContain(`No such file: ${file}.`);
  });

  it('logs a summary of the start, with time and level, according to --log-level', async () => {
    const { sandbox } = await withBackends(scripted('one', { tools: [tool('first'), { name: 'bad' }] }));
    await using _ended = sandbox;
    const logOf = async (level: string[]) => {
      const gateway = await connectToCommand(sandbox, ['gateway', ...level]);
      await expect.poll(() => toolNames(gateway.client), { timeout: 10_000 }).toContain('first');
      await callTool(gateway.client, 'first');
      await gateway.client.close();
      return gateway.saidAside;
    };
    const usual = await logOf([]);
    for (const line of [
      /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}Loaded 1 backend: one$/m,
      /Z WARN {2}Invalid tool from one: bad - Missing 'description' field$/m,
      /Z WARN {2}one: degraded \(1 tool\): /m,
      /Z INFO {2}Connected to 1\/1 backends, 1 tool\. Ready\.$/m,
    ])
      expect(usual).toMatch(line);
    expect(usual).not.toContain('DEBUG');
    expect(await logOf(['--log-level', 'debug'])).toMatch(/Z DEBUG call \d+: sent to one as first$/m);
    expect(await logOf(['--log-level', 'error'])).toBe('');
    expect(await sandbox.cli(['gateway', '--log-level', 'loud'])).toMatchObject({ code: 2 });
  });

  it('reports the line of a mistake', async () => {
    const { sandbox, file } = await withBackends({ name: 'nowhere' });
    await using _ended = sandbox;
    const refused = await sandbox.cli(['gateway', '--config', file]);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`${file}:1:`) });
    const absent = await sandbox.cli(['gateway', '--config', 'absent.yaml']);
    expect(absent).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/No such file: \S+absent\.yaml\. /),
    });
  });
});

it('refuses a host with a port, which no request could match', async () => {
  await using sandbox = await createSandbox();
  const refused = await sandbox.cli(['gateway', '--http', '0', '--allow-host', 'relay.example:4889']);
  expectFailure(refused, 2, /--allow-host.*without a port/);
});

describe('agent-relay gateway approve', () => {
  it('releases a withheld tool', async () => {
    const changing = (description: string) =>
      scripted('one', { tools: [tool('first', { description })] }, { pin: 'strict' });
    const { sandbox, file } = await withBackends(changing('Reads.'));
    await using _ended = sandbox;
    const offered = async () => {
      await using gateway = await connectToCommand(sandbox, ['gateway', '--config', file]);
      const tools = await toolNames(gateway.client);
      return { tools, status: (await callTool(gateway.client, 'relay_get_status')).texts.join() };
    };
    expect((await offered()).tools).toContain('first');
    await writeFile(file, (await readFile(file, 'utf8')).replace('Reads.', 'Reads and sends it away.'));
    const withheld = await offered();
    expect(withheld.tools).not.toContain('first');
    expect(withheld.status).toContain('agent-relay gateway approve one first');
    const approve = (...more: string[]) => sandbox.cli(['gateway', 'approve', ...more, '--config', file]);
    expectFailure(await approve('one', 'first'), 2, /by its digest/, /gateway approve --list/);
    const [change] = json(await approve('one', 'first', '--list')) as Array<{ digest: string }>;
    expect(change).toMatchObject({
      ...{ server: 'one', tool: 'first' },
      definition: { name: 'first', description: 'Reads and sends it away.' },
    });
    expectFailure(await approve('--digest', 'another'), 2, /has this digest/);
    const approved = await approve('--digest', change?.digest ?? '');
    expect(approved).toMatchObject({ code: 0, stdout: 'Approved: one.first\n' });
    expect((await offered()).tools).toContain('first');
    const again = await sandbox.cli(['gateway', 'approve', '--config', file]);
    expect(again.stdout).toBe('Nothing to approve.\n');
  });
});
