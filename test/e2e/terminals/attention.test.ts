import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type Relay } from '../../../packages/sdk/src/node/index.ts';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { startTerminal } from '../../kit/terminal.ts';

const CLI = fileURLToPath(new URL('../../kit/programs/hooked-cli.js', import.meta.url));
const POLL = { timeout: 30_000, interval: 50 };

let daemon: TestDaemon;
let sender: Relay;
beforeAll(async () => {
  daemon = await startDaemon();
  sender = await connect({ name: 'Sender', env: daemon.env, cwd: daemon.projectDirectory });
  const bin = join(daemon.directory, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  await writeFile(join(bin, 'claude'), `#!/bin/sh\nexec node ${CLI} "$@"\n`, { mode: 0o755 });
});
afterAll(async () => {
  await sender.close();
  await daemon[Symbol.asyncDispose]();
});

const inTerminal = (...words: string[]) =>
  startTerminal([process.execPath, PROGRAM, ...words], {
    cwd: daemon.projectDirectory,
    env: {
      ...daemon.env,
      PATH: `${join(daemon.directory, 'bin')}:${process.env.PATH}`,
      HOME: daemon.directory,
      TERM: 'xterm-256color',
    },
  });
const reasonOf = (id: string) => async () => (await sender.trace(id)).deliveries[0]?.reason?.code;
const waitsFor = (code: string | undefined) =>
  expect
    .poll(async () => {
      const ada = (await sender.who()).find(({ name }) => name === 'Ada');
      return ada?.paths.find(({ path }) => path === 'hook')?.reason?.code;
    }, POLL)
    .toBe(code);
const attention = async (...words: string[]) => (await daemon.cli(['attention', ...words])).stdout;

it('can be changed while the agent works, by a person or the agent, and applies to its next run', async () => {
  {
    await using terminal = inTerminal('run', '--name', 'Ada', '--attention', 'end-of-turn', '--', 'claude');
    await terminal.until(/at SessionStart/);
    terminal.type('turn\r');
    await waitsFor('attention');
    const first = await sender.send('Ada', 'one', { importance: 'urgent' });
    await expect.poll(reasonOf(first.messageId), POLL).toBe('attention');
    expect((await daemon.cli(['who'])).stdout).toMatch(/Ada .*attention: end of turn/);
    expect(await attention('now', 'Ada')).toBe('Ada gets its messages as soon as its CLI accepts them.\n');
    await terminal.until(/\| one/);
    await expect
      .poll(async () => (await sender.trace(first.messageId)).deliveries[0]?.state, POLL)
      .toBe('injected');
    await waitsFor(undefined);
    // In its own shell.
    const own = { env: { RELAY_AGENT_NAME: 'Ada' } };
    expect((await daemon.cli(['attention', 'end-of-turn'], own)).stdout).toBe(
      'Ada gets its messages after its turn.\n',
    );
    await waitsFor('attention');
    const second = await sender.send('Ada', 'two', { importance: 'urgent' });
    await expect.poll(reasonOf(second.messageId), POLL).toBe('attention');
    terminal.type('stop\r');
    await terminal.until(/\| two/);
    terminal.type('end\r');
    await terminal.exited;
  }
  await using again = inTerminal('run', '--name', 'Ada', '--', 'claude');
  await again.until(/at SessionStart/);
  again.type('turn\r');
  await waitsFor('attention');
  const third = await sender.send('Ada', 'three', { importance: 'urgent' });
  await expect.poll(reasonOf(third.messageId), POLL).toBe('attention');
  expect(await attention('default', 'Ada')).toBe(
    'Ada gets its messages after its turn, urgent ones as soon as its CLI accepts them.\n',
  );
  await again.until(/\| three/);
});

it('names the agent it applies to', async () => {
  expect(await daemon.cli(['attention', 'now'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('next: Name the agent: agent-relay attention now <agent>'),
  });
});

it('says that typed messages always come after the turn', async () => {
  await using terminal = inTerminal('run', '--name', 'Typed', '--', 'bash', '-c', 'echo here; read -r');
  await terminal.until(/here/);
  expect(await attention('now', 'Typed')).toBe(
    'Typed gets its messages as soon as its CLI accepts them.\n' +
      'They are typed into its terminal, so they always come after its turn.\n',
  );
  expect(await attention('end-of-turn', 'Typed')).toBe('Typed gets its messages after its turn.\n');
});

it('waits until the CLI has the tools: a model that begins without them may never get them', async () => {
  await using terminal = inTerminal('run', '--name', 'Late', '--', 'claude', '--late');
  await terminal.until(/at SessionStart/);
  const { messageId } = await sender.send('Late', 'begin');
  await expect.poll(reasonOf(messageId), POLL).toBe('starting');
  terminal.type('tools\r');
  await terminal.until(/\| begin/);
});

it('checks an untested version with its first message', async () => {
  await using terminal = inTerminal('run', '--name', 'New', '--', 'claude');
  await terminal.until(/at SessionStart/);
  const path = async () => {
    const agent = (await sender.who()).find(({ name }) => name === 'New');
    return agent?.paths.find((one) => one.path === 'hook');
  };
  const doubted = { state: 'ready', reason: { text: 'unproven: claude' } };
  await expect.poll(path, POLL).toMatchObject(doubted);
  expect((await daemon.cli(['who'])).stdout).toMatch(/New .*, unproven: claude$/m);
  const { messageId } = await sender.send('New', 'hello');
  await terminal.until(/\| hello/);
  // Its hooks run beside each other: the turn has begun before it ends.
  const state = async () => (await sender.trace(messageId)).deliveries[0]?.state;
  await expect.poll(state, POLL).toBe('injected');
  terminal.type('stop\r');
  const shown = async () => [(await path())?.state, (await path())?.reason?.text];
  await expect.poll(shown, POLL).toEqual(['ready', undefined]);
});
