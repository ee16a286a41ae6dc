import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenId } from '@agent-relay/platform/secrets';
import { isAgentToken } from '@agent-relay/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runTogether } from '../../../../test/kit/run-together.ts';
import { remoteTokenSource } from './remote-token.ts';

let directory: string;
let env: { RELAY_DATA_DIR: string };
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-remote-token-'));
  env = { RELAY_DATA_DIR: directory };
});
afterEach(() => rm(directory, { recursive: true }));

const remoteAgentToken = async (agent: Parameters<typeof remoteTokenSource>[0], wanted?: string) =>
  (await remoteTokenSource(agent))(wanted) as Promise<string>;
const url = 'wss://relay.example:4000/ws';
const agents = () => join(directory, 'remote', 'relay.example_4000', 'projects', 'shop', 'agents');

it('is created once per daemon, in a private file', async () => {
  const alice = { url, project: 'shop', name: 'Alice', env };
  const token = await remoteAgentToken(alice);
  expect(token).toSatisfy(isAgentToken);
  expect(await remoteAgentToken({ ...alice, name: 'alice' })).toBe(token);
  expect(await remoteAgentToken({ ...alice, url: 'wss://other.example/ws' })).not.toBe(token);
  expect((await lstat(agents())).mode & 0o777).toBe(0o700);
  expect((await lstat(join(agents(), 'alice.name'))).mode & 0o777).toBe(0o600);
});

it('is the same for four processes that start at once', async () => {
  const outputs = await runTogether(
    4,
    `import { remoteTokenSource } from ${JSON.stringify(join(import.meta.dirname, 'remote-token.ts'))};`,
    `const { url, env } = ${JSON.stringify({ url, env })};
     const names = Array.from({ length: 20 }, (_, i) => 'Agent' + i);
     const tokens = names.map(async (name) => (await remoteTokenSource({ url, project: 'shop', name, env }))());
     console.log((await Promise.all(tokens)).join());`,
  );
  expect(outputs[0]?.trim().split(',')).toHaveLength(20);
  expect(new Set(outputs).size).toBe(1);
  expect(await readdir(agents())).toHaveLength(40);
});

it('is not overwritten if its file has other content', async () => {
  const alice = { url, project: 'shop', name: 'Alice', env };
  const file = `${tokenId(await remoteAgentToken(alice))}.token`;
  await writeFile(join(agents(), file), 'at_short');
  await expect(remoteAgentToken(alice)).rejects.toMatchObject({ code: 'InvalidSettings' });
});

it('is found by its id when its agent was renamed elsewhere', async () => {
  const bob = { url, project: 'shop', name: 'Bob', env };
  const token = await remoteAgentToken(bob);
  expect(await remoteAgentToken({ ...bob, name: 'Robert' }, tokenId(token))).toBe(token);
  expect(await remoteAgentToken({ ...bob, name: 'Robert' })).toBe(token);
});
