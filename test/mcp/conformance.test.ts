import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDoors } from '@agent-relay/platform/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Offerings } from '../../packages/mcp/src/http/admission/caller.ts';
import { createDoorWith, type McpDoor } from '../../packages/mcp/src/http/create.ts';
import { relayOffering } from '../../packages/mcp/src/server/client-context.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { withFixtures } from './kit/conformance-fixtures.ts';
import { doorOptions } from './kit/http-door.ts';

const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

let daemon: TestDaemon;
let door: McpDoor;
let server: Awaited<ReturnType<typeof openDoors>>;
beforeAll(async () => {
  daemon = await startDaemon();
  // The suite provokes failures on purpose.
  const options = { ...doorOptions(daemon), onerror: () => undefined };
  const offerings = new Offerings(options, (tools) => withFixtures(relayOffering(tools)));
  door = createDoorWith(offerings, options);
  server = await openDoors([door], { ...options, settings: 'mcp' });
});
afterAll(async () => {
  await door.close();
  server.close();
  await daemon[Symbol.asyncDispose]();
});

it.each(['2025-11-25', '2026-07-28'])(
  'passes the official suite for revision %s',
  async (revision) => {
    const args = [
      SUITE,
      'server',
      '--url',
      `${server.url}/mcp`,
      '--requirements',
      revision,
      '-o',
      `${daemon.directory}/${revision}`,
    ];
    const run = promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    const { stdout } = await run.catch(({ stdout, stderr }) => {
      throw new Error(`${stdout}\n${stderr}`);
    });
    // Extensions and drafts are run too, and are listed at the end as not scored.
    const [scored = '', unscored = ''] = stdout.slice(stdout.indexOf('=== SUMMARY')).split('Not scored');
    const names = (text: string, mark: string) =>
      [...text.matchAll(new RegExp(`${mark} ([\\w-]+)`, 'g'))].map(([, name]) => name);
    const failed = names(scored, '✗').filter((name) => !names(unscored, '✗').includes(name));
    expect(failed).toEqual([]);
    expect(names(scored, '✓').length).toBeGreaterThan(30);
  },
  60_000,
);
