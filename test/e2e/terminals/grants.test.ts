import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Relay } from '../../../packages/sdk/src/node/index.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { notesIn, SCRIPTED_CLI } from '../../kit/scripted-cli.ts';

const POLL = { timeout: 30_000, interval: 50 };
const SIZE = { columns: 80, rows: 24 };
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let daemon: TestDaemon;
let url: string;
let workspaceKey: string;
let log: string;
beforeAll(async () => {
  daemon = await startDaemon({ settings: { clis: SCRIPTED_CLI } });
  const { http } = JSON.parse((await daemon.cli(['status', '--json'])).stdout);
  url = `${http.replace('http', 'ws')}/ws`;
  const owner = await connect({ socketPath: daemon.socketPath, project: daemon.project, env: daemon.env });
  workspaceKey = (await owner.request('KEY_CREATE', {})).key;
  await owner.close();
  log = join(daemon.directory, 'notes');
});
afterAll(() => daemon[Symbol.asyncDispose]());
afterEach(async () => void (await daemon.cli(['release', '--all'])));

/** With the key alone, as from another machine. */
const remote = (name: string): Promise<Relay> => connect({ url, workspaceKey, name, env: {} });
const set = async (name: string, ...words: string[]) =>
  expect(await daemon.cli(['agent', 'set', name, ...words])).toMatchObject({ code: 0 });
const view = (relay: Relay, name: string, seen: { text: string; ended: boolean }) =>
  relay.terminals.attach(name, {
    ...SIZE,
    mode: 'drive',
    onOutput: (bytes) => {
      seen.text += Buffer.from(bytes).toString();
    },
    onEnded: () => {
      seen.ended = true;
    },
  });
const FORBIDDEN = { code: 'Forbidden' };

describe('an agent that connects with a key over the network', () => {
  it('spawns nothing and sees no terminal without a grant', async () => {
    await using eve = await remote('Eve');
    const refused = eve.workers.spawn('Mole', 'scripted');
    await expect(refused).rejects.toMatchObject({
      ...FORBIDDEN,
      next: expect.stringContaining('agent-relay agent set Eve --grant spawn'),
    });
    await daemon.cli(['spawn', 'Local', 'scripted'], { env: { SCRIPTED_LOG: log } });
    const seen = { text: '', ended: false };
    await expect(view(eve, 'Local', seen)).rejects.toMatchObject({
      ...FORBIDDEN,
      next: expect.stringContaining('agent-relay agent set Eve --grant terminal'),
    });
    await expect(eve.workers.release('Local')).rejects.toMatchObject(FORBIDDEN);
    await expect(eve.setAttention('now', { agent: 'Local' })).rejects.toMatchObject(FORBIDDEN);
    expect(seen.text).toBe('');
    expect((await eve.who()).map(({ name }) => name)).not.toContain('Mole');
  });

  it('does what the owner granted, until that is revoked', async () => {
    await using ann = await remote('Ann');
    await set('Ann', '--grant', 'spawn,terminal');
    const asked = ann.workers.spawn('Helper', 'scripted', {
      task: 'say hello',
      env: { SCRIPTED_LOG: '/theirs' },
    });
    expect(await asked).toEqual({ name: 'Helper', status: 'ready' });
    // The environment of another machine is not used.
    expect(await notesIn('/theirs')).toEqual([]);
    const seen = { text: '', ended: false };
    const viewed = await view(ann, 'Helper', seen);
    await viewed.write(Buffer.from('say seen\r'));
    await expect.poll(() => seen.text, POLL).toMatch(/seen[\s\S]*seen/);
    const audit = JSON.parse((await daemon.cli(['audit', '--json'])).stdout);
    for (const action of ['agent.spawned', 'terminal.attached'])
      expect(audit).toContainEqual(expect.objectContaining({ action, actor: 'Ann', subject: 'Helper' }));
    await set('Ann', '--revoke', 'terminal');
    await expect.poll(() => seen.ended, POLL).toBe(true);
    await expect(viewed.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'NotRunning' });
    await expect(view(ann, 'Helper', seen)).rejects.toMatchObject(FORBIDDEN);
    await set('Ann', '--revoke', 'spawn');
    await expect(ann.workers.spawn('Another', 'scripted')).rejects.toMatchObject(FORBIDDEN);
    // It is still the one that Helper works for.
    expect(await ann.workers.release('Helper')).toMatchObject({ name: 'Helper' });
  });
});

/** Connects as another user of the machine, and prints what it is answered to a request. */
const scriptOf = (name: string, type: string, payload: object) => `
  const socket = new WebSocket(${JSON.stringify(url)});
  const send = (id, type, payload) => socket.send(JSON.stringify({ v: 1, type, id, ts: Date.now(), payload }));
  socket.onopen = () => send('h', 'HELLO', ${JSON.stringify({ workspaceKey, name })});
  socket.onmessage = ({ data }) => {
    const { type, payload } = JSON.parse(data);
    if (type === 'WELCOME') return send('r', ${JSON.stringify(type)}, ${JSON.stringify(payload)});
    console.log(JSON.stringify({ type, payload }));
    socket.close();
  };`;

describe.skipIf(!isRoot)('another user of the machine (needs root, to become one)', () => {
  const asNobody = async (name: string, type: string, payload: object) => {
    const script = scriptOf(name, type, payload);
    const child = spawn(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    await once(child, 'close');
    return JSON.parse(output);
  };

  it('spawns nothing and sees no terminal with a key alone', async () => {
    const wanted = { name: 'Theirs', cli: 'scripted' };
    expect(await asNobody('Mallory', 'SPAWN', wanted)).toMatchObject({ type: 'ERROR', payload: FORBIDDEN });
    const attach = { agent: 'Mallory', ...SIZE };
    expect(await asNobody('Marge', 'TERMINAL_ATTACH', attach)).toMatchObject({
      payload: { code: 'Forbidden' },
    });
    expect((await daemon.cli(['who', '--all', '--json'])).stdout).not.toContain('Theirs');
  });
});
