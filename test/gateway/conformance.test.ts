import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serveGatewayHttp } from '@agent-relay/gateway';
import { expect, test } from 'vitest';
import { GatewayKit } from './kit/gateway-kit.ts';
import { SDK_SERVER } from './kit/sdk-server.ts';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const CLIENT = fileURLToPath(new URL('kit/conformance-client.ts', import.meta.url));
const execute = promisify(execFile);

/** The client scenarios that apply to a gateway; those of OAuth are for clients that sign a person in. */
const CLIENT_SCENARIOS = {
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'sse-retry',
    'json-schema-2020-12-preservation',
  ],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
  ],
};

/** The server scenarios that need no tools of the suite's own. */
const SERVER_SCENARIOS = {
  '2025-11-25': ['server-initialize', 'server-session-lifecycle', 'dns-rebinding-protection'],
  '2026-07-28': ['caching', 'http-header-validation'],
};

const casesOf = (scenarios: Record<string, string[]>) =>
  Object.entries(scenarios).flatMap(([version, names]) => names.map((name) => [version, name] as const));

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const { stdout, stderr } = await execute(process.execPath, [SUITE, ...args, '-o', directory], {
      timeout: 40_000,
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  } finally {
    await rm(directory, { recursive: true });
  }
}

test.each(casesOf(CLIENT_SCENARIOS))(
  'as a client, %s: %s',
  { timeout: 50_000 },
  async (version, scenario) => {
    const command = `${process.execPath} ${CLIENT}`;
    const { code, output } = await run(
      'client',
      '--command',
      command,
      '--scenario',
      scenario,
      '--spec-version',
      version,
    );
    expect(code, output).toBe(0);
  },
);

test.each(casesOf(SERVER_SCENARIOS))(
  'as a server, %s: %s',
  { timeout: 50_000 },
  async (version, scenario) => {
    await using kit = await GatewayKit.start([
      { name: 'sdk', command: process.execPath, args: [SDK_SERVER, 'dual'] },
    ]);
    const front = await serveGatewayHttp(kit.gateway);
    const url = front.url.replace('127.0.0.1', 'localhost');
    const { code, output } = await run(
      'server',
      '--url',
      url,
      '--scenario',
      scenario,
      '--spec-version',
      version,
    );
    await front.close();
    expect(code, output).toBe(0);
  },
);
