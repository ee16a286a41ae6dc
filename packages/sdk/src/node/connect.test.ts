import { chown, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { tokenId } from '@agent-relay/platform/secrets';
import { isAgentToken, RelayError } from '@agent-relay/protocol';
import { describe, expect, test, vi } from 'vitest';
import { AGENT, ScriptedPeer } from '../../../../test/kit/scripted-peer.ts';
import { connect, joinedProject, type NodeConnectOptions } from './connect.ts';
import { prepareSocketPath } from './discovery/locations.ts';
import { writeProjectConfig } from './discovery/project-config.ts';
import { localAgentToken } from './tokens.ts';

/** A data directory whose project "shop" is served by the peer. */
async function shop(peer: ScriptedPeer): Promise<Record<string, string>> {
  const env = { RELAY_DATA_DIR: join(peer.directory, 'data') };
  await symlink(peer.socketPath, await prepareSocketPath('shop', env));
  return env;
}

describe('connecting from Node', () => {
  test('by discovery uses the stored token of the name', async () => {
    await using peer = await ScriptedPeer.start();
    const env = await shop(peer);
    const tokens: Array<string | undefined> = [];
    for (let round = 0; round < 2; round++) {
      const connecting = connect({ name: 'Alice', env, cwd: peer.directory });
      tokens.push((await peer.welcome()).hello?.token);
      await (await connecting).close();
    }
    expect(tokens[0]).toSatisfy(isAgentToken);
    expect(tokens[1]).toBe(tokens[0]);
    const kept = `data/projects/shop/agents/${tokenId(tokens[0] ?? '')}.token`;
    expect(await readFile(join(peer.directory, kept), 'utf8')).toBe(tokens[0]);
  });

  test('uses name and lead from the environment, unless options set them', async () => {
    await using peer = await ScriptedPeer.start();
    const env = { ...(await shop(peer)), RELAY_AGENT_NAME: 'Alice', RELAY_LEAD: '1', RELAY_PROJECT: 'shop' };
    const connecting = connect({ env, capabilities: ['review'], client: { name: 'test', version: '1' } });
    const { hello } = await peer.welcome();
    expect(hello).toMatchObject({ name: 'Alice', lead: true, paths: [], capabilities: ['review'] });
    expect(hello).not.toHaveProperty('env');
    await (await connecting).close();
    const other = connect({ env, name: 'Bob', lead: false });
    expect((await peer.welcome()).hello).toMatchObject({ name: 'Bob', lead: false });
    await (await other).close();
  });

  test('to a custom socket asks which project it serves before it sends a token', async () => {
    await using peer = await ScriptedPeer.start();
    const env = { RELAY_DATA_DIR: join(peer.directory, 'data'), RELAY_SOCKET: peer.socketPath };
    const connecting = connect({ name: 'Alice', env });
    const observer = await peer.welcome({ project: 'shop' });
    expect(observer.hello).not.toHaveProperty('token');
    const named = await peer.welcome();
    await (await connecting).close();
    const kept = `data/projects/shop/agents/${tokenId(named.hello?.token ?? '')}.token`;
    expect(await readFile(join(peer.directory, kept), 'utf8')).toBe(named.hello?.token);
  });

  test('looks its token up under the project that the daemon serves, whatever RELAY_PROJECT says', async () => {
    await using peer = await ScriptedPeer.start();
    const env = {
      RELAY_DATA_DIR: join(peer.directory, 'data'),
      RELAY_SOCKET: peer.socketPath,
      RELAY_PROJECT: 'another',
    };
    const kept = await localAgentToken('shop', 'Alice', env);
    const connecting = connect({ name: 'Alice', env });
    await peer.welcome({ project: 'shop' });
    expect((await peer.welcome({ project: 'shop' })).hello).toMatchObject({ token: kept });
    await using relay = await connecting;
    expect(joinedProject(relay)).toEqual({ from: 'env', by: 'RELAY_SOCKET' });
  });

  test('knows how it came to its project', async () => {
    await using peer = await ScriptedPeer.start();
    const env = await shop(peer);
    const cwd = peer.directory;
    const joinedBy = async (options: NodeConnectOptions) => {
      const connecting = connect({ cwd, ...options });
      await peer.welcome({ project: 'shop' });
      await using relay = await connecting;
      return joinedProject(relay);
    };
    expect(await joinedBy({ env })).toEqual({ from: 'only-one', by: cwd });
    expect(await joinedBy({ env, project: 'shop' })).toEqual({ from: 'flag', by: '--project' });
    expect(await joinedBy({ env: { ...env, RELAY_PROJECT: 'shop' } })).toEqual({
      from: 'env',
      by: 'RELAY_PROJECT',
    });
    await writeProjectConfig({ root: cwd, project: 'shop' });
    expect(await joinedBy({ env })).toEqual({ from: 'config', by: join(cwd, '.relay/config.json') });
  });

  test('as an ephemeral agent stores no token, and keeps its own to reconnect', async () => {
    await using peer = await ScriptedPeer.start();
    const env = await shop(peer);
    const reconnect = { minDelayMs: 1, maxDelayMs: 5 };
    const connecting = connect({ name: 'mcp-1', ephemeral: true, env, project: 'shop', reconnect });
    const first = await peer.welcome();
    await using _relay = await connecting;
    expect(first.hello?.token).toSatisfy(isAgentToken);
    first.destroy();
    expect((await peer.welcome()).hello?.token).toBe(first.hello?.token);
    await expect(readdir(join(peer.directory, 'data/projects/shop/agents'))).rejects.toThrow('ENOENT');
  });

  test('without a name is an observer: no token, no deliveries', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ env: {}, socketPath: peer.socketPath });
    const { hello } = await peer.welcome();
    await using relay = await connecting;
    const receiver = expect.any(String);
    expect(hello).toEqual({ protocol: { min: 1, max: 1 }, paths: [], notify: false, receiver });
    expect(relay.name).toBeUndefined();
  });

  test('to a daemon that does not run rejects, or waits for its start if asked to', async () => {
    await using peer = await ScriptedPeer.start();
    const env = { RELAY_DATA_DIR: join(peer.directory, 'data') };
    await expect(connect({ project: 'shop', env })).rejects.toMatchObject({ code: 'DaemonNotRunning' });
    const reconnect = { initial: true, minDelayMs: 1, maxDelayMs: 5 };
    const connecting = connect({ name: 'Alice', env, cwd: peer.directory, reconnect });
    await shop(peer);
    const daemon = await peer.welcome();
    await using relay = await connecting;
    expect(daemon.hello?.token).toSatisfy(isAgentToken);
    expect(relay.state).toBe('connected');
  });

  test('reconnects to the current socket of its directory if the old one is gone', async () => {
    await using before = await ScriptedPeer.start();
    await using renamed = await ScriptedPeer.start();
    const root = before.directory;
    const options = { ...AGENT, env: { RELAY_DATA_DIR: join(root, 'data') }, cwd: root };
    await writeProjectConfig({ root, project: 'demo', socketPath: before.socketPath });
    const connecting = connect(options);
    await before.welcome();
    await using relay = await connecting;
    await writeProjectConfig({ root, project: 'shop', socketPath: renamed.socketPath });
    await before.die();
    await renamed.welcome({ project: 'shop' });
    await vi.waitFor(() => expect(relay).toMatchObject({ state: 'connected', project: 'shop' }));
  });

  test('sends the token that the daemon expects for the name, if it is stored', async () => {
    await using peer = await ScriptedPeer.start();
    const env = await shop(peer);
    const kept = await localAgentToken('shop', 'Bob', env);
    const connecting = connect({ name: 'Robert', project: 'shop', env, reconnect: false });
    const refused = await peer.accept();
    const { payload } = await refused.take('HELLO');
    expect(payload).not.toMatchObject({ token: kept });
    const taken = new RelayError('NameTaken', 'Taken.', { details: { tokenId: tokenId(kept) } });
    refused.send('ERROR', taken.toPayload());
    const { hello } = await peer.welcome();
    expect(hello).toMatchObject({ name: 'Robert', token: kept });
    await (await connecting).close();
    expect(await localAgentToken('shop', 'Robert', env)).toBe(kept);
  });

  test('reconnects to the same daemon while it listens, even if the record has changed', async () => {
    await using peer = await ScriptedPeer.start();
    await using other = await ScriptedPeer.start();
    const root = peer.directory;
    await writeProjectConfig({ root, project: 'demo', socketPath: peer.socketPath });
    const connecting = connect({ ...AGENT, env: { RELAY_DATA_DIR: join(root, 'data') }, cwd: root });
    const daemon = await peer.welcome();
    await using relay = await connecting;
    await writeProjectConfig({ root, project: 'shop', socketPath: other.socketPath });
    daemon.destroy();
    await peer.welcome();
    await vi.waitFor(() => expect(relay.state).toBe('connected'));
  });

  test('with a key uses a socket of this user, and asks for the project of the key', async () => {
    await using peer = await ScriptedPeer.start();
    const env = { ...(await shop(peer)), RELAY_PROJECT: 'another' };
    const connecting = connect({ name: 'Alice', workspaceKey: 'rk_key', env });
    const observer = await peer.welcome({ project: 'lab' });
    expect(observer.hello).toMatchObject({ workspaceKey: 'rk_key', paths: [] });
    const { hello } = await peer.welcome({ project: 'lab' });
    await using _relay = await connecting;
    expect(hello).toMatchObject({ name: 'Alice', workspaceKey: 'rk_key' });
    const kept = `data/projects/lab/agents/${tokenId(hello?.token ?? '')}.token`;
    expect(await readFile(join(peer.directory, kept), 'utf8')).toBe(hello?.token);
  });

  test('with a key and no daemon of this user sends it to nobody, and says what to do', async () => {
    await using peer = await ScriptedPeer.start();
    const none = { RELAY_DATA_DIR: join(peer.directory, 'none') };
    const gone = { ...none, RELAY_SOCKET: join(peer.directory, 'gone.sock') };
    for (const env of [none, gone]) {
      await expect(connect({ workspaceKey: 'rk_key', env, cwd: peer.directory })).rejects.toMatchObject({
        code: 'DaemonNotRunning',
        next: expect.stringMatching(/agent-relay daemon start; .* RELAY_URL/),
      });
    }
  });

  test.skipIf(process.getuid?.() !== 0)(
    'with a key does not send it to a socket of another user (needs root, to give it away)',
    async () => {
      await using peer = await ScriptedPeer.start();
      await chown(peer.socketPath, 65_534, 65_534);
      const env = { RELAY_DATA_DIR: join(peer.directory, 'data'), RELAY_SOCKET: peer.socketPath };
      await expect(connect({ workspaceKey: 'rk_key', env })).rejects.toMatchObject({
        code: 'NotAllowedToRunAs',
      });
    },
  );

  test('over WebSocket without a daemon rejects with DaemonNotRunning', async () => {
    const options = { name: 'Alice', workspaceKey: 'rk', url: 'ws://127.0.0.1:1/ws' };
    await expect(connect(options)).rejects.toMatchObject({ code: 'DaemonNotRunning' });
    const env = { RELAY_URL: 'ws://127.0.0.1:1/ws' };
    await expect(connect({ env })).rejects.toMatchObject({ code: 'DaemonNotRunning' });
    await expect(connect({ url: '127.0.0.1:3888' })).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  test('with an invalid name fails before anything is sent', async () => {
    await using peer = await ScriptedPeer.start();
    const env = await shop(peer);
    await expect(connect({ name: 'no/slash', env, project: 'shop' })).rejects.toMatchObject({
      code: 'InvalidName',
    });
  });
});
