import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noteListedTools, untilToolsListed } from './listed-tools.ts';

let directory: string;
let env: { RELAY_DATA_DIR: string };
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-listed-'));
  env = { RELAY_DATA_DIR: join(directory, 'data') };
});
afterEach(() => rm(directory, { recursive: true }));

const notes = () => readdir(join(env.RELAY_DATA_DIR, 'hooks'));

it('waits for the tools of this client process', async () => {
  const waiting = untilToolsListed(process.pid, env, new AbortController().signal);
  await noteListedTools(process.pid, env);
  await waiting;
  expect(await notes()).toEqual([`${process.pid}.tools`]);
});

it('ends with the signal, also if an earlier process with the same id had the tools', async () => {
  await noteListedTools(process.pid, env);
  await writeFile(join(env.RELAY_DATA_DIR, 'hooks', `${process.pid}.tools`), 'another process');
  const end = new AbortController();
  let isOver = false;
  const waiting = untilToolsListed(process.pid, env, end.signal).then(() => {
    isOver = true;
  });
  await noteListedTools(process.ppid, env);
  expect(isOver).toBe(false);
  end.abort();
  await waiting;
});

it('keeps no notes of clients that have ended, and nothing else is removed', async () => {
  const client = spawn('sleep', ['60']);
  await noteListedTools(client.pid ?? 0, env);
  await writeFile(join(env.RELAY_DATA_DIR, 'hooks', 'session.lock'), '');
  client.kill('SIGKILL');
  await once(client, 'exit');
  await noteListedTools(process.pid, env);
  expect((await notes()).sort()).toEqual([`${process.pid}.tools`, 'session.lock'].sort());
});
