import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { changedTools } from '@agent-relay/gateway/run';
import { expect, test } from 'vitest';
import { saveBackend } from '../../packages/gateway/src/config/save.ts';
import { GatewayKit, scripted, tool } from './kit/gateway-kit.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

/** Runs a gateway long enough for it to look at the tools. */
async function openOnce(kit: GatewayKit): Promise<void> {
  await (await kit.open({ stateDir: kit.path('state') })).ready();
  kit.gateway.status();
  await kit.gateway.close();
}

async function expectDistrust(kit: GatewayKit, why: string): Promise<void> {
  kit.logs.length = 0;
  await openOnce(kit);
  expect(kit.logs).toContainEqual(expect.stringContaining(why));
  await expect(changedTools({ stateDir: kit.path('state') })).rejects.toMatchObject({
    code: 'NotAllowedToRunAs',
    message: expect.stringContaining(why),
  });
}

test('ignores a state directory that others can write to', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([scripted('a', { tools: [tool('t')] }, { pin: 'strict' })]);
  await openOnce(kit);
  expect(await modeOf(kit.path('state'))).toBe(0o700);
  const before = await readFile(kit.path('state/pins.json'), 'utf8');
  await kit.configure([scripted('a', { tools: [tool('t', { description: 'new' })] }, { pin: 'strict' })]);
  for (const mode of [0o777, 0o770]) {
    await chmod(kit.path('state'), mode);
    await expectDistrust(kit, `others can write to ${kit.path('state')}`);
  }
  expect(await readFile(kit.path('state/pins.json'), 'utf8')).toBe(before);
});

test.runIf(process.getuid?.() === 0)('ignores a state directory of another user (needs root)', async () => {
  await using kit = await GatewayKit.create();
  await kit.configure([]);
  await mkdir(kit.path('state'));
  await chown(kit.path('state'), 12345, 12345);
  await expectDistrust(kit, `${kit.path('state')} belongs to another user`);
});

test.each([0o000, 0o077])(
  'keeps the mode of a file when a server is added, and creates private ones, with umask %o',
  async (umask) => {
    await using kit = await GatewayKit.create();
    await kit.configure([]);
    await chmod(kit.configFile, 0o644);
    const before = process.umask(umask);
    try {
      await saveBackend(kit.configFile, 'one', 'ws://127.0.0.1:1');
      await saveBackend(kit.path('new/servers.yaml'), 'one', 'ws://127.0.0.1:1');
    } finally {
      process.umask(before);
    }
    expect(await modeOf(kit.configFile)).toBe(0o644);
    expect(await modeOf(kit.path('new/servers.yaml'))).toBe(0o600);
    expect(await modeOf(kit.path('new'))).toBe(0o700);
  },
);
