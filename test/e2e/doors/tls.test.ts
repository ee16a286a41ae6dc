import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../kit/daemon.ts';

const KEY = 'a-key-of-the-door';
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** A sandbox with its own certificate for localhost and relay.example. */
async function withCertificate() {
  const sandbox = await createSandbox({ env: { RELAY_MCP_API_KEY: KEY, RELAY_MCP_HTTP_PORT: '0' } });
  const [certificate, key] = ['cert.pem', 'key.pem'].map((name) => join(sandbox.projectDirectory, name));
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
  ];
  const files = ['-keyout', `${key}`, '-out', `${certificate}`];
  const names = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost,DNS:relay.example,IP:127.0.0.1',
  ];
  expect(spawnSync('openssl', [...made, ...files, ...names]).status).toBe(0);
  // As a user names them: relative to where the command runs.
  const env = { RELAY_MCP_TLS_CERTIFICATE: 'cert.pem', RELAY_MCP_TLS_KEY: 'key.pem' };
  return { sandbox, env, ca: await readFile(`${certificate}`) };
}

/** Opens an MCP session as a client that trusts only this certificate. */
const initialize = (url: string, ca: Buffer, headers: Record<string, string> = {}) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const options = { method: 'POST', ca, headers: { ...sent, authorization: `Bearer ${KEY}`, ...headers } };
    request(url, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(INITIALIZE);
  });

const openssl = spawnSync('openssl', ['version']).status === 0;
describe.skipIf(!openssl)('HTTPS (needs openssl)', () => {
  it('is served by the daemon with a certificate and its key', async () => {
    const { sandbox, env, ca } = await withCertificate();
    await using _ended = sandbox;
    const { stdout } = await sandbox.cli(['daemon', 'start', '--mcp-http'], { env });
    const [, url = ''] = /mcp +(https:\S+)/.exec(stdout) ?? [];
    expect(await initialize(url, ca)).toBe(200);
    await expect(initialize(url, Buffer.from(''))).rejects.toThrow(/certificate/);
  });

  it('is served by the gateway alone, by variables or by options', async () => {
    const { sandbox, env, ca } = await withCertificate();
    await using _ended = sandbox;
    const options = [
      '--tls-certificate',
      'cert.pem',
      '--tls-key',
      'key.pem',
      '--allow-host',
      'Relay.Example',
    ];
    for (const [words, variables] of [[[], env] as const, [options, {}] as const]) {
      await using running = sandbox.startCli(['gateway', '--http', '0', ...words], { env: variables });
      const [, url = ''] = await running.until(/Listening on (https:\S+)/);
      expect(await initialize(url, ca)).toBe(200);
      const host = { host: 'relay.example' };
      expect(await initialize(url, ca, host)).toBe(words.length > 0 ? 200 : 403);
    }
  });

  it.each([
    ['daemon', ['daemon', 'start', '--mcp-http']],
    ['gateway', ['gateway', '--http', '0']],
  ])('is not served by the %s with unusable files', async (_who, command) => {
    const { sandbox, env } = await withCertificate();
    await using _ended = sandbox;
    await writeFile(join(sandbox.projectDirectory, 'text.pem'), 'no certificate');
    const refused = async (variables: NodeJS.ProcessEnv) => {
      const { code, stderr } = await sandbox.cli(command, { env: { ...env, ...variables } });
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused({ RELAY_MCP_TLS_KEY: 'none.pem' })).toMatch(
      /none\.pem cannot be used: ENOENT.*\nnext: /s,
    );
    expect(await refused({ RELAY_MCP_TLS_CERTIFICATE: 'text.pem' })).toMatch(
      /text\.pem and .* cannot be used/,
    );
    expect(await refused({ RELAY_MCP_TLS_KEY: '' })).toMatch(
      /needs both a certificate and a key.*\nnext: .*RELAY_MCP_TLS_KEY/s,
    );
  });
});
