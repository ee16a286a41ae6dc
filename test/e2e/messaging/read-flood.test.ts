import { newAgentToken } from '@agent-relay/platform/secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../../kit/daemon.ts';
import { peakMegabytes } from '../../kit/process-memory.ts';
import { connectToSocket, type RawClient } from '../../kit/raw-client.ts';

const MESSAGES = 150;
const BODY = 'x'.repeat(60_000);
const TOKEN = newAgentToken();
const FLOOD = 1000;
/** Pages on their way and their copies, and what the collector leaves for later; all answers would be 500 MiB. */
const MAX_GROWTH_MIB = 200;

let daemon: TestDaemon;
let bystander: RawClient;

const join = async (name: string, token = newAgentToken()): Promise<RawClient> => {
  const client = await connectToSocket(daemon.socketPath);
  await client.hello({ name, token, paths: [] });
  return client;
};

beforeAll(async () => {
  daemon = await startDaemon({ settings: UNGOVERNED });
  using _flooder = await join('flooder', TOKEN);
  bystander = await join('bystander');
  for (let i = 0; i < MESSAGES; i++) await bystander.request('SEND', { to: 'flooder', content: BODY });
});
afterAll(async () => {
  bystander?.[Symbol.dispose]();
  await daemon?.[Symbol.asyncDispose]();
});

describe('an agent that asks for a thousand pages and reads no answer', () => {
  it.runIf(process.platform === 'linux')('costs little memory', async () => {
    const before = peakMegabytes(daemon.pid);
    using flooder = await join('flooder', TOKEN);
    flooder.pause();
    for (let i = 0; i < FLOOD; i++) flooder.send('INBOX', { limit: 500 });
    for (let i = 0; i < 100; i++) await bystander.request('HISTORY', { limit: 1 });
    flooder.resume();
    for (let i = 0; i < 20; i++) await flooder.next('ACK');
    expect(peakMegabytes(daemon.pid) - before).toBeLessThan(MAX_GROWTH_MIB);
  });

  it('does not keep the daemon from stopping', async () => {
    using flooder = await join('flooder', TOKEN);
    flooder.pause();
    for (let i = 0; i < FLOOD; i++) flooder.send('INBOX', { limit: 500 });
    await bystander.request('HISTORY', { limit: 1 });
    expect(await daemon.stop()).toBe(0);
  });
});
