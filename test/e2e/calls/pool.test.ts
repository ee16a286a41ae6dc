import { connect } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import { expectFailure, json } from '../../kit/results.ts';
import { type PooledDaemon, startPool } from '../pool/kit.ts';

const join = ({ env, projectDirectory: cwd }: PooledDaemon, name: string) => connect({ env, cwd, name });

const serversOf = async (daemon: PooledDaemon) => json(await daemon.cli(['status', '--json'])).servers;

describe('one namespace for agents and MCP servers', () => {
  it('calls a tool of a server like one of an agent', async () => {
    await using daemon = await startPool(() => [
      scripted('files', { tools: [tool('echo')] }),
      scripted('my.files', { tools: [tool('look.up')] }),
    ]);
    await using alice = await join(daemon, 'Alice');
    await expect
      .poll(async () => await serversOf(daemon))
      .toMatchObject([{ health: 'healthy' }, { health: 'healthy' }]);
    const result = await alice.call('files.echo', { text: 'hi' });
    expect(JSON.stringify(result)).toContain('hi');
    expect(json(await daemon.cli(['call', 'files.echo', '{"text":"hi"}', '--as', 'Ann']))).toEqual(result);
    expect(await alice.call('my.files.look.up')).toContain('look.up');
    await expect(alice.call('files.ecko')).rejects.toMatchObject({
      code: 'ToolNotFound',
      details: { suggestions: ['echo'] },
    });
    await expect(alice.call('file.echo')).rejects.toMatchObject({ code: 'AgentNotFound' });
  });

  it('checks arguments by the schema of the server, as far as it can, and passes on progress', async () => {
    const typed = (name: string, schema: object) =>
      tool(name, { inputSchema: { type: 'object', ...schema } });
    await using daemon = await startPool(() => [
      scripted('files', {
        tools: [
          typed('read', { properties: { path: { type: 'string' } }, required: ['path'] }),
          typed('odd', { properties: { path: {} }, required: ['path'], unevaluatedProperties: false }),
          tool('notify'),
          tool('fail'),
        ],
      }),
    ]);
    await using alice = await join(daemon, 'Alice');
    await expect.poll(async () => await serversOf(daemon)).toMatchObject([{ health: 'healthy' }]);
    await expect(alice.call('files.read', { path: 7 })).rejects.toMatchObject({
      code: 'InvalidArguments',
      message: 'files.read: path must be a string.',
    });
    expect(await alice.call('files.read', { path: 'a' })).toContain('read');
    expect(await alice.call('files.odd')).toContain('odd');
    const progress: unknown[] = [];
    await alice.call(
      'files.notify',
      { method: 'notifications/progress', count: 3, params: { message: 'on it', total: 3 } },
      { onProgress: (one) => progress.push(one) },
    );
    expect(progress).toContainEqual({ progress: 1, total: 3, message: 'on it' });
    await expect(alice.call('files.fail')).rejects.toMatchObject({
      code: 'ToolFailed',
      message: 'files.fail failed: no luck',
    });
  });

  it('says whether a call may have run when its server is lost', async () => {
    await using daemon = await startPool(() => [
      scripted('files', { tools: [tool('crash')] }),
      { name: 'absent', command: 'no-such-program' },
    ]);
    await using alice = await join(daemon, 'Alice');
    await expect
      .poll(async () => await serversOf(daemon))
      .toMatchObject([{ health: 'healthy' }, { health: 'failed' }]);
    const lost = { code: 'CalleeGone', retryable: false };
    await expect(alice.call('files.crash')).rejects.toMatchObject(lost);
    expect(await alice.invoke('files.crash', {}, { wait: true })).toMatchObject({
      status: 'unknown',
      error: lost,
    });
    expect(await alice.invoke('absent.run', {}, { wait: true })).toMatchObject({
      status: 'failed',
      error: {
        code: 'BackendUnavailable',
        next: expect.stringContaining('agent-relay servers list'),
        retryable: true,
      },
    });
  });

  it('lets no agent take the name of a server, and starts no server with the name of an agent', async () => {
    await using daemon = await startPool(() => [scripted('files', { tools: [tool('echo')] })]);
    await expect(join(daemon, 'Files')).rejects.toMatchObject({ code: 'NameTaken' });
    await (await join(daemon, 'Deploy')).close();
    await daemon.configure([
      scripted('files', { tools: [tool('echo')] }),
      scripted('deploy', { tools: [tool('run')] }),
    ]);
    await expect
      .poll(async () => await serversOf(daemon), { timeout: 10_000 })
      .toMatchObject([
        { name: 'files', health: 'healthy' },
        {
          name: 'deploy',
          health: 'failed',
          error: expect.stringContaining('an agent of project demo has this name'),
        },
      ]);
    expectFailure(await daemon.cli(['call', 'Deploy.run']), 7, /Deploy is offline/);
  });

  it('refuses the name of a server to agents and actions, however they ask for it', async () => {
    await using daemon = await startPool(() => [
      scripted('files', { tools: [tool('echo')] }),
      scripted('my.files', { tools: [tool('echo')] }),
    ]);
    await using owner = await connect({ env: daemon.env, cwd: daemon.projectDirectory });
    await using bob = await join(daemon, 'Bob');
    const taken = { code: 'NameTaken', message: expect.stringContaining('files') };
    // Its calls would begin like those of "my.files".
    await expect(join(daemon, 'my')).rejects.toMatchObject(taken);
    await expect(owner.request('AGENT_RENAME', { agent: 'Bob', name: 'files' })).rejects.toMatchObject(taken);
    const handled = connect({
      env: daemon.env,
      cwd: daemon.projectDirectory,
      name: 'Carol',
      handle: 'files',
    });
    await expect(handled).rejects.toMatchObject(taken);
    for (const name of ['files.echo', 'Files.other', 'my.echo'])
      await expect(
        bob.registerAction({ name, description: 'Shadows', input: {}, handler: () => 'stolen' }),
      ).rejects.toMatchObject(taken);
    // Another spelling of the same is an action of its own, and does not stand before the server's tool.
    await bob.registerAction({
      name: 'files_echo',
      description: 'Is near',
      input: {},
      handler: () => 'near',
    });
    expect((await bob.invoke('files_echo', {}, { wait: true })).result).toBe('near');
    await expect
      .poll(async () => (await bob.invoke('files.echo', { text: 'hi' }, { wait: true })).result)
      .not.toBe('near');
  });

  it('starts no server with the handle of an agent, or the first part of an action name', async () => {
    await using daemon = await startPool(() => []);
    const { env, projectDirectory: cwd } = daemon;
    await using bob = await connect({ env, cwd, name: 'Bob', handle: 'builder' });
    await bob.registerAction({ name: 'review.vote', description: 'Votes', input: {}, handler: () => 1 });
    await daemon.configure([
      scripted('builder', { tools: [tool('run')] }),
      scripted('review.files', { tools: [tool('run')] }),
    ]);
    await expect
      .poll(async () => await serversOf(daemon), { timeout: 10_000 })
      .toMatchObject([
        { name: 'builder', health: 'failed', error: expect.stringContaining('an agent of project demo') },
        {
          name: 'review.files',
          health: 'failed',
          error: expect.stringContaining('an action of project demo is called review.vote'),
        },
      ]);
  });
});
