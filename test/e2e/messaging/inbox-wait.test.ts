import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Relay } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killAtExit, PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { olderNode } from '../../kit/older-node.ts';
import { expectFailure, json } from '../../kit/results.ts';
import { client, known } from './commands.ts';

let daemon: TestDaemon;
let owner: Relay;
beforeAll(async () => {
  daemon = await startDaemon();
  await known(daemon, 'Alice', 'Bob');
  owner = await client(daemon);
});
afterAll(async () => {
  await owner.close();
  await daemon[Symbol.asyncDispose]();
});

const WAIT = ['inbox', '--as', 'Bob', '--wait'];
const send = async (text: string) => {
  await using alice = await client(daemon, { name: 'Alice' });
  return await alice.send('Bob', text);
};
/** Whether a client waits for Bob's next message. */
const isWaiting = async () => {
  const agents = await owner.who();
  return agents.some(({ name, paths }) => name === 'Bob' && paths.some(({ path }) => path === 'pull'));
};

describe('agent-relay inbox --wait', () => {
  it('shows the first message that comes, marks it read and exits with 0', async () => {
    await using waiter = daemon.startCli([...WAIT, '--json']);
    await expect.poll(isWaiting).toBe(true);
    const { messageId } = await send('Now.');
    // By itself: it would also exit with 0 when it is told to end.
    await expect.poll(() => waiter.child.exitCode, { timeout: 10_000 }).toBe(0);
    const shown = json(await waiter.result);
    expect(shown).toMatchObject({ messages: [{ id: messageId, content: 'Now.' }], unread: 0 });
    expect(json(await daemon.cli(['trace', messageId, '--json'])).deliveries).toMatchObject([
      { state: 'read', path: 'pull' },
    ]);
  });

  it('shows an unread message at once, and leaves the others unread', async () => {
    await send('One.');
    await send('Two.');
    expect(json(await daemon.cli([...WAIT, '--json']))).toMatchObject({
      messages: [{ content: 'One.' }],
      unread: 1,
    });
    expect(json(await daemon.cli([...WAIT, '--json']))).toMatchObject({ messages: [{ content: 'Two.' }] });
  });

  it('keeps waiting if a path took the message first', async () => {
    await using terminal = await client(daemon, { name: 'Bob', paths: ['pty'] });
    await using waiter = daemon.startCli([...WAIT, '--json']);
    await expect.poll(isWaiting).toBe(true);
    waiter.child.kill('SIGSTOP');
    const { messageId } = await send('Typed.');
    await terminal.paths.claim('pty');
    await terminal.paths.report('pty', messageId, 'injected');
    waiter.child.kill('SIGCONT');
    await expect.poll(isWaiting).toBe(true);
    await send('Shown.');
    expect(json(await waiter.result)).toMatchObject({ messages: [{ content: 'Shown.' }] });
  });

  it('exits with 6 when nothing comes in time', async () => {
    expectFailure(await daemon.cli([...WAIT, '--timeout', '50']), 6, /No message arrived within 50 ms\./);
    expectFailure(await daemon.cli([...WAIT, '--timeout', '1s']), 6, /No message arrived within 1 s\./);
    expectFailure(await daemon.cli([...WAIT, '--timeout', 'banana']), 2, /Use milliseconds, or a number/);
  });

  it('is refused to a second process', async () => {
    await using waiter = daemon.startCli(WAIT);
    await expect.poll(isWaiting).toBe(true);
    expectFailure(await daemon.cli(WAIT), 2, /Another program is already waiting/, /without waiting/);
    waiter.child.kill('SIGINT');
    await waiter.result;
    await expect.poll(isWaiting).toBe(false);
  });

  it('is refused together with a filter, and --timeout is refused without it', async () => {
    expect((await daemon.cli([...WAIT, '--from', 'Alice'])).code).toBe(2);
    expect((await daemon.cli(['inbox', '--as', 'Bob', '--timeout', '20s'])).code).toBe(2);
  });

  const older = olderNode();
  const nodes = [
    ['this Node', process.execPath],
    ...(older ? [['an older Node, which starts this one', older]] : []),
  ];
  it.each(nodes)('ends with the process that started it, on %s', async (_which, node) => {
    const script = `require('node:child_process').spawn(${JSON.stringify(node)}, ${JSON.stringify([PROGRAM, ...WAIT])}, { stdio: 'ignore' }); setInterval(() => {}, 1e6);`;
    const { env, projectDirectory: cwd } = daemon;
    const parent = spawn(process.execPath, ['-e', script], { env, cwd, stdio: 'ignore' });
    killAtExit(parent);
    await expect.poll(isWaiting, { timeout: 10_000 }).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect.poll(isWaiting, { timeout: 10_000 }).toBe(false);
  });
});
