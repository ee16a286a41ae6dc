import { describe, expect, it } from 'vitest';
import { editorBackend, type ListedBackend, listedBackend, toBackendConfig } from './backend-config.ts';

const configOf = (entry: Omit<ListedBackend, 'name'>, env = {}, directory?: string) =>
  toBackendConfig({ name: 'my.server', ...entry }, env, directory);

describe('an entry', () => {
  it.each([
    [{ name: 'a' }, 'needs either "url" or "command"'],
    [{ name: 'a', url: 'ws://x', command: 'y' }, 'needs either "url" or "command"'],
    [{ name: 'a', url: 'ftp://x' }, 'must be a ws, wss, http or https URL'],
    [{ name: 'a b', url: 'ws://x' }, 'must be letters, digits, "_", "-" or "."'],
    [{ name: 'a', url: 'ws://x', prefx: true }, 'Unrecognized key: "prefx"'],
  ])('%j is refused', (entry, reason) => {
    expect(
      listedBackend
        .safeParse(entry)
        .error?.issues.map(({ message }) => message)
        .join(),
    ).toContain(reason);
  });

  it('of an editor may have settings of that editor', () => {
    expect(editorBackend.parse({ command: 'x', autoApprove: [], disabled: true })).toEqual({
      command: 'x',
      disabled: true,
    });
  });
});

describe('a backend', () => {
  it('has a default for everything', () => {
    expect(configOf({ command: 'x' }).config).toEqual({
      name: 'my.server',
      endpoint: { kind: 'stdio', command: 'x', args: [], env: {} },
      address: 'x',
      secrets: [],
      prefix: '',
      allow: [],
      deny: [],
      timeoutMs: 900_000,
      notificationsPerSecond: 100,
      lazy: false,
      idleStopMs: 0,
      pin: 'warn',
      scope: 'shared',
    });
  });

  it.each([
    [{ url: 'wss://x' }, 'ws'],
    [{ url: 'https://x' }, 'auto'],
    [{ url: 'https://x', type: 'streamable-http' }, 'http'],
    [{ url: 'https://x', type: 'sse' }, 'sse'],
    [{ command: 'x' }, 'stdio'],
  ] as const)('%j is reached by %s', (entry, kind) => {
    expect(configOf(entry).config.endpoint.kind).toBe(kind);
  });

  it('prefixes its tools with its name, in characters allowed in tool names', () => {
    expect(configOf({ url: 'ws://x', prefix: true }).config.prefix).toBe('my_server_');
    expect(configOf({ url: 'ws://x', prefix: 'p-' }).config.prefix).toBe('p-');
  });

  it('resolves its working directory from the directory of its file', () => {
    expect(configOf({ command: 'x', cwd: 'sub' }, {}, '/etc/relay').config.endpoint).toMatchObject({
      cwd: '/etc/relay/sub',
    });
    expect(configOf({ command: 'x' }).config.endpoint).not.toHaveProperty('cwd');
  });

  it('names missing variables, and never shows values of others', () => {
    const url = 'https://$' + '{HOST}/mcp?key=$' + '{KEY}';
    const { config, missing } = configOf({ url }, { HOST: 'h.example' });
    expect(missing).toEqual(['KEY']);
    expect(config.address).toBe(url);
    expect(configOf({ url }, { HOST: 'h.example', KEY: 'k-12345' })).toMatchObject({
      missing: [],
      config: { endpoint: { url: 'https://h.example/mcp?key=k-12345' }, address: url },
    });
  });
});
