import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import type { RelayError } from '@agent-relay/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { attachmentOf } from '../../../../../test/store/contract/attachments.ts';
import { agentOf, inboxOf, newWorld } from '../../../../../test/store/contract/world.ts';
import { storeContract } from '../../../../../test/store/contract.ts';
import { openStore } from '../open.ts';

const directory = mkdtempSync(join(tmpdir(), 'relay-store-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newPath = () => join(directory, `relay-${++files}.db`);
const onFatal = (error: Error) => {
  throw error;
};

let shared = newPath();
storeContract('sqlite', {
  open: () => openStore(shared, { onFatal }),
  // What the files hold while the store is open is what a crash at this moment leaves.
  async afterCrash(store) {
    const copy = newPath();
    for (const ending of ['', '-wal']) copyFileSync(`${shared}${ending}`, `${copy}${ending}`);
    await store.close();
    shared = copy;
    return openStore(shared, { onFatal });
  },
});

describe('a SQLite file', () => {
  it('is readable by its owner only', async () => {
    const path = newPath();
    const store = await openStore(path, { onFatal });
    await newWorld(store, 1);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('that a daemon uses is refused to another, by any of its names, until the first has ended', async () => {
    const [path, link] = [newPath(), newPath()];
    const openFor = (name: string) => openStore(name, { daemon: 'north, process 1', onFatal });
    const one = await openFor(path);
    symlinkSync(path, link);
    for (const name of [path, link])
      await expect(openFor(name)).rejects.toMatchObject({
        code: 'DatabaseInUse',
        message: `The database ${name} is used by another daemon on this machine.`,
      });
    expect(statSync(`${path}-daemon`).mode & 0o777).toBe(0o600);
    await newWorld(one, 1);
    await one.close();
    await (await openFor(link)).close();
  });

  it('answers pending calls when it is closed, and refuses later ones without an alarm', async () => {
    const alarms: Error[] = [];
    const store = await openStore(newPath(), { onFatal: (error) => alarms.push(error) });
    const { workspace } = await newWorld(store, 1);
    const before = store.lastSeq(workspace.id);
    const closing = store.close();
    await before;
    const refusals: Promise<unknown>[] = [];
    for (let ticks = 0; ticks < 100; ticks++) {
      refusals.push(
        expect(store.lastSeq(workspace.id)).rejects.toMatchObject({ message: 'The store was closed.' }),
      );
      await setImmediate();
    }
    await closing;
    await Promise.all(refusals);
    expect(alarms).toEqual([]);
  });

  it('that is invalid, or cannot be created, is refused without an alarm', async () => {
    const path = newPath();
    writeFileSync(path, 'this is a letter, not a database. '.repeat(200));
    await expect(openStore(path, { onFatal })).rejects.toMatchObject({ code: 'DatabaseUnusable' });
    const nowhere = join(directory, 'missing', 'relay.db');
    await expect(openStore(nowhere, { onFatal })).rejects.toMatchObject({
      code: 'StoreUnavailable',
      message: `The database ${nowhere} cannot be opened: its directory does not exist.`,
    });
  });

  it('is made private if others could open it', async () => {
    const path = newPath();
    await (await openStore(path, { onFatal })).close();
    chmodSync(path, 0o666);
    const store = await openStore(path, { onFatal });
    for (const ending of ['', '-wal', '-shm'])
      expect([ending, statSync(`${path}${ending}`).mode & 0o777]).toEqual([ending, 0o600]);
    await store.close();
  });

  it.runIf(process.getuid?.() === 0)('of another user is refused (needs root)', async () => {
    const path = newPath();
    writeFileSync(path, '');
    chownSync(path, 12345, 12345);
    await expect(openStore(path, { onFatal })).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
  });

  it('has every confirmed message after its process was killed', async () => {
    const path = newPath();
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../../../../test/store/endless-sender.ts', import.meta.url)), path],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const confirmed: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (confirmed.push(line) === 500) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const store = await openStore(path, { onFatal });
    const [workspace] = await store.listWorkspaces();
    const stored = await store.listMessages({ workspaceId: workspace?.id ?? 0, after: 0, limit: 1_000_000 });
    expect(stored.map(({ id }) => id).slice(0, confirmed.length)).toEqual(confirmed);
    await store.close();
  });
});

describe('deleting messages', () => {
  it('frees space in the database and in its log', async () => {
    const path = newPath();
    const store = await openStore(path, { onFatal });
    const { agents, dm, draft } = await newWorld(store, 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await dm(alice, bob);
    const body = 'a long story '.repeat(300);
    const sends = (count: number, createdAt: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          store.appendMessage(draft(alice, conversation, [bob], { body, createdAt })),
        ),
      );
    await sends(3000, 1);
    await sends(20, 5);
    const before = statSync(path).size + statSync(`${path}-wal`).size;
    while ((await store.deleteMessagesBefore(5, 500)) > 0);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(statSync(path).size).toBeLessThan(before / 4);
    expect(await store.inbox(inboxOf(bob))).toHaveLength(20);
    await store.close();
  });
});

describe('redacted content', () => {
  const CANARY = 'swordfishcanary';
  const filesWith = (path: string, text: string) =>
    ['', '-wal'].filter(
      (ending) => existsSync(`${path}${ending}`) && readFileSync(`${path}${ending}`).includes(text),
    );

  it('is removed from the database, its index and its log', async () => {
    const path = newPath();
    const store = await openStore(path, { onFatal });
    const { agents, dm, draft, workspace } = await newWorld(store, 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await dm(alice, bob);
    const content = Buffer.from(CANARY.repeat(1000));
    const file = attachmentOf(alice, content);
    await store.addAttachment(file, content);
    const { id, name, mediaType, size, sha256 } = file;
    const attachments = [{ id, name, mediaType, size, sha256 }];
    const send = (body: string, more = {}) =>
      store.appendMessage(draft(alice, conversation, [bob], { body, ...more }));
    const query = { workspaceId: workspace.id, viewer: undefined, limit: 10 };

    for (let i = 0; i < 300; i++) void send(`some other words ${i}`);
    const { seq } = await send(`the password is ${CANARY} ${'and so on '.repeat(2000)}`, { attachments });
    await Promise.all(Array.from({ length: 300 }, (_, i) => send(`more of them ${i}`)));
    expect(await store.search({ ...query, text: CANARY })).toHaveLength(1);
    expect(filesWith(path, CANARY)).not.toEqual([]);

    expect(await store.redactMessage(seq, 1)).toBe(true);
    expect(filesWith(path, CANARY)).toEqual([]);
    expect(await store.search({ ...query, text: CANARY })).toEqual([]);
    expect(await store.search({ ...query, text: 'words 299' })).toHaveLength(1);
    await store.close();
    expect(filesWith(path, CANARY)).toEqual([]);
  });
});

describe('a database in use', () => {
  it.each([
    ['is deleted', (path: string) => unlinkSync(path)],
    [
      'is replaced',
      (path: string) => {
        copyFileSync(path, `${path}-copy`);
        renameSync(`${path}-copy`, path);
      },
    ],
    ['loses its log', (path: string) => unlinkSync(`${path}-wal`)],
  ])('that %s confirms no more writes, and raises an alarm', async (_, harm) => {
    const path = newPath();
    const alarms: RelayError[] = [];
    const store = await openStore(path, { onFatal: (error) => alarms.push(error) });
    const { agents, channel, draft } = await newWorld(store, 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await channel();
    await store.appendMessage(draft(alice, conversation, [bob]));
    harm(path);
    await expect(store.appendMessage(draft(alice, conversation, [bob]))).rejects.toMatchObject({
      code: 'DatabaseUnusable',
      message: expect.stringContaining('was deleted or replaced'),
    });
    expect(alarms).toMatchObject([{ code: 'DatabaseUnusable' }]);
    await store.close();
  });

  it('is not created next to the log of a missing one', async () => {
    const path = newPath();
    const store = await openStore(path, { onFatal });
    await newWorld(store, 1);
    const log = readFileSync(`${path}-wal`);
    await store.close();
    unlinkSync(path);
    writeFileSync(`${path}-wal`, log);
    await expect(openStore(path, { onFatal })).rejects.toMatchObject({
      code: 'DatabaseUnusable',
      next: expect.stringContaining('Restore the database'),
    });
    expect(readFileSync(`${path}-wal`)).toEqual(log);
    unlinkSync(`${path}-wal`);
    await (await openStore(path, { onFatal })).close();
  });
});

describe('a thread that crashes', () => {
  it('fails pending calls, raises an alarm, and leaves the file intact', async () => {
    const workers: Worker[] = [];
    const collect = (worker: Worker) => workers.push(worker);
    process.on('worker', collect);
    const path = newPath();
    const alarms: unknown[] = [];
    const store = await openStore(path, { onFatal: (error) => alarms.push(error) });
    process.off('worker', collect);

    const { agents, channel, draft, workspace } = await newWorld(store, 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await channel();
    const kept = await store.appendMessage(draft(alice, conversation, [bob]));
    const [writer] = workers as [Worker];
    // What it cannot even take apart, it dies of.
    writer.postMessage(null);
    await expect(store.appendMessage(draft(alice, conversation, [bob]))).rejects.toMatchObject({
      code: 'StoreUnavailable',
      retryable: true,
    });
    await expect(store.createAgent(agentOf(workspace.id))).rejects.toMatchObject({
      code: 'StoreUnavailable',
    });
    expect(alarms).toHaveLength(1);
    expect((await store.inbox(inboxOf(bob))).map(({ id }) => id)).toContain(kept.id);
    await store.close();

    const reopened = await openStore(path, { onFatal });
    expect(await reopened.visibleMessage(undefined, workspace.id, kept.id)).toBeDefined();
    expect((await reopened.appendMessage(draft(alice, conversation, [bob]))).seq).toBeGreaterThan(kept.seq);
    await reopened.close();
  });
});
