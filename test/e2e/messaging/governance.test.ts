import { once } from 'node:events';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Message, personName, type Relay } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client, known } from './commands.ts';

const contentsOf = (messages: Message[]) => messages.map(({ content }) => content);

describe.concurrent('the rate limit', () => {
  it('returns an error with the time to wait, and stores nothing', async ({ expect }) => {
    await using daemon = await startDaemon({ settings: { rateLimit: { perSecond: 4, burst: 3 } } });
    await known(daemon, 'Bob');
    await using alice = await client(daemon, { name: 'Alice' });
    const sends = await Promise.allSettled(
      [1, 2, 3, 4].map((number) => alice.send('Bob', `message ${number}`)),
    );
    expect(sends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    const { reason } = sends[3] as PromiseRejectedResult;
    expect(reason).toMatchObject({
      code: 'RateLimited',
      retryable: true,
      next: expect.stringMatching(/Try again in \d+ ms/),
    });
    const { retryAfterMs } = reason.details;
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(250);
    await expect
      .poll(() =>
        alice.send('Bob', 'later').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await using bob = await client(daemon, { name: 'Bob' });
    expect(contentsOf((await bob.inbox()).messages)).toEqual([
      'message 1',
      'message 2',
      'message 3',
      'later',
    ]);
  });

  it('is exit code 7 on the command line', async () => {
    await using daemon = await startDaemon({ settings: { rateLimit: { perSecond: 0.01, burst: 1 } } });
    await known(daemon, 'Bob');
    output(await daemon.cli(['send', 'Bob', 'one', '--as', 'Alice']));
    const second = await daemon.cli(['send', 'Bob', 'two', '--as', 'Alice']);
    expectFailure(second, 7, /nothing was stored/, /Try again in \d+ ms/);
  });
});

describe.concurrent('the loop governor', () => {
  /** Two agents answer each other; returns the outcome of each send. */
  async function exchange(first: Relay, second: Relay, turns: string[]) {
    const results = [];
    for (const [index, content] of turns.entries()) {
      const [from, to] = index % 2 === 0 ? [first, second] : [second, first];
      results.push(await from.send(to.name ?? '', content));
    }
    return results;
  }

  it('lets a long review pass, and holds an exchange of courtesies until a person releases it', async () => {
    await using daemon = await startDaemon();
    await using alice = await client(daemon, { name: 'Alice' });
    await using bob = await client(daemon, { name: 'Bob' });
    const review = Array.from(
      { length: 30 },
      (_, turn) => `In file module${turn} line ${turn * 17 + 100} the check of value${turn} is missing`,
    );
    expect((await exchange(alice, bob, review)).map(({ held }) => held)).toEqual(review.map(() => undefined));

    const courtesies = Array.from(
      { length: 12 },
      (_, turn) => ['Thank you!', 'You are welcome!'][turn % 2] ?? '',
    );
    const results = await exchange(alice, bob, courtesies);
    const held = results.filter((result) => result.held !== undefined);
    expect(results.findIndex((result) => result.held !== undefined)).toBe(5);
    expect(held).toHaveLength(7);
    expect(held[0]?.held).toMatch(/muted by loop governor: 6 turns without new content/);

    // Both are notified; it is visible in trace and in the list.
    for (const agent of [alice, bob]) {
      const { messages } = await agent.inbox({ from: 'relay', limit: 500 });
      expect(contentsOf(messages)).toEqual([expect.stringMatching(/paused: muted by loop governor/)]);
    }
    const [{ messageId } = { messageId: '' }] = held;
    expect(output(await daemon.cli(['trace', messageId]))).toMatch(
      /\nheld {2}\S+Z {2}muted by loop governor/,
    );
    expect(output(await daemon.cli(['held', 'list']))).toContain(messageId);
    expect(json(await daemon.cli(['held', 'list', '--json']))).toHaveLength(7);
    expectFailure(await daemon.cli(['held', 'release', 'msg_none']), 4, /msg_none/, /agent-relay held list/);
    await expect(alice.held.list()).rejects.toMatchObject({ code: 'Forbidden' });

    await alice.inbox({ limit: 500 });
    await bob.inbox({ limit: 500 });
    expect(output(await daemon.cli(['held', 'release', messageId]))).toBe('Delivered 1 message.\n');
    expect(contentsOf((await alice.inbox()).messages)).toEqual(['You are welcome!']);
    expect((await alice.send('Bob', 'Thank you!')).held).toBeUndefined();
    expect(output(await daemon.cli(['trace', messageId]))).toMatch(
      /\nheld +\S+Z +muted by loop governor.*\nreleased +\S+Z +by owner\nAlice +stored/,
    );
    expect((await bob.trace(messageId)).held?.settled).toMatchObject({ outcome: 'released', by: 'owner' });

    const rest = json(await daemon.cli(['held', 'list', '--json'])).map(({ id }: { id: string }) => id);
    expect(output(await daemon.cli(['held', 'discard', ...rest]))).toBe('Discarded 6 messages.\n');
    expect(output(await daemon.cli(['held', 'list']))).toBe('No held messages.\n');
    expect(output(await daemon.cli(['trace', rest[0]]))).toMatch(
      /\(discarded\)\n\nheld +\S+Z +muted by loop governor.*\ndiscarded +\S+Z +by owner\n$/,
    );
    expect(output(await daemon.cli(['audit']))).toMatch(/held\.discarded[\s\S]*held\.released/);
  });

  it('never holds a person, whose message lets the agents continue', async () => {
    await using daemon = await startDaemon({ settings: { governor: { emptyTurns: 2 } } });
    await using alice = await client(daemon, { name: 'Alice' });
    await using bob = await client(daemon, { name: 'Bob' });
    await using person = await client(daemon, { name: 'Petra', type: 'human' });
    const results = await exchange(alice, bob, ['hello there', 'thanks', 'thanks', 'thanks']);
    expect(results.at(-1)?.held).toBeDefined();
    for (let turn = 0; turn < 5; turn++) expect((await person.send('Alice', 'thanks')).held).toBeUndefined();
    expect((await alice.send('Bob', 'thanks')).held).toBeUndefined();
  });

  it('can be switched off', async () => {
    await using daemon = await startDaemon({ settings: { governor: { enabled: false } } });
    await using alice = await client(daemon, { name: 'Alice' });
    await using bob = await client(daemon, { name: 'Bob' });
    const turns = Array.from({ length: 20 }, () => 'thanks');
    const free = await exchange(alice, bob, turns);
    expect(free.filter(({ held }) => held !== undefined)).toEqual([]);
  });
});

describe.concurrent('a message that leaked a secret', () => {
  it('is emptied everywhere by its sender or the owner, and the redaction is audited', async () => {
    await using daemon = await startDaemon();
    await known(daemon, 'Bob', 'Eve');
    await using alice = await client(daemon, { name: 'Alice' });
    const file = await alice.attach('key.txt', new TextEncoder().encode('sw0rdfish too'));
    const { messageId } = await alice.send('Bob', 'the password is sw0rdfish', { attachments: [file.id] });
    const cli = (...args: string[]) => daemon.cli(args);
    expect(json(await cli('search', 'sw0rdfish', '--json'))).toHaveLength(1);
    expectFailure(await cli('redact', messageId, '--as', 'Eve'), 4, /or you cannot see it/);
    expectFailure(await cli('redact', messageId, '--as', 'Bob'), 5, /Only the sender and the owner/);
    expect(output(await cli('redact', messageId, '--as', 'Alice', '--reason', 'a password'))).toContain(
      'Redacted msg_',
    );
    output(await cli('redact', messageId));

    expect(output(await cli('search', 'sw0rdfish'))).toBe('No messages found.\n');
    expect(output(await cli('inbox', '--as', 'Bob'))).toMatch(/^Alice → Bob .*\n {2}\(redacted\)\n$/);
    expectFailure(await cli('attachment', 'get', file.id), 4, new RegExp(file.id));
    const readings = [['history'], ['thread', messageId], ['trace', messageId], ['audit'], ['export']];
    for (const result of await Promise.all(readings.map((args) => cli(...args)))) {
      expect(output(result)).not.toContain('sw0rdfish');
    }
    expect(json(await cli('audit', '--json'))).toContainEqual(
      expect.objectContaining({
        actor: 'Alice',
        action: 'message.redacted',
        subject: messageId,
        detail: { reason: 'a password' },
      }),
    );
  });
});

describe.concurrent('retention', () => {
  it('deletes what is older than the settings say, and keeps everything without them', async ({ expect }) => {
    await using daemon = await startDaemon();
    await known(daemon, 'Alice', 'Bob');
    const cli = (...args: string[]) => daemon.cli(args);
    output(await cli('send', 'Bob', 'ancient history', '--as', 'Alice'));
    await daemon.stop();
    await daemon.writeSettings({ retention: { days: 0.5 / 86_400 } });
    await daemon.start();
    await using owner = await client(daemon);
    await expect.poll(async () => (await owner.history()).messages, { timeout: 15_000 }).toEqual([]);
    expect(json(await cli('search', 'ancient', '--json'))).toEqual([]);
    expect(output(await cli('inbox', '--as', 'Bob'))).toBe('No messages in inbox.\n');
  });
});

describe.concurrent('a question to a person', () => {
  it('runs a command and a webhook, with the sender and the question', async ({ expect }) => {
    const posted: unknown[] = [];
    await using server = createServer(async (request, response) => {
      posted.push(JSON.parse(await text(request)));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const command = ['sh', '-c', 'cat > "$HOME/called.part" && mv "$HOME/called.part" "$HOME/called.json"'];
    await using daemon = await startDaemon({ settings: { hooks: { question: { command, webhook } } } });
    const called = join(daemon.directory, 'called.json');
    const me = personName();
    output(await daemon.cli(['inbox']));
    await using alice = await client(daemon, { name: 'Alice' });
    await alice.send(me, 'just so you know');
    const { messageId } = await alice.send(me, 'may I delete the branch?', { kind: 'question' });
    const question = {
      event: 'question',
      project: 'demo',
      message: expect.objectContaining({ id: messageId, from: 'Alice', content: 'may I delete the branch?' }),
    };
    await expect.poll(() => posted, { timeout: 10_000 }).toEqual([question]);
    await expect
      .poll(async () => JSON.parse(await readFile(called, 'utf8').catch(() => 'null')), { timeout: 10_000 })
      .toEqual(question);
  });
});

describe.concurrent('agents and workspaces', () => {
  it('an agent keeps inbox and token when it is renamed, and frees its name when it is removed', async () => {
    await using daemon = await startDaemon();
    const cli = (...args: string[]) => daemon.cli(args);
    await known(daemon, 'Alice', 'Bob');
    output(await cli('send', 'Bob', 'for you', '--as', 'Alice'));
    expect(output(await cli('agent', 'rename', 'Bob', 'Robert'))).toBe('Renamed Bob to Robert.\n');
    expect(output(await cli('inbox', '--as', 'Robert'))).toMatch(/^Alice → Robert .*\n {2}for you\n$/);
    expectFailure(await cli('send', 'Bob', 'x', '--as', 'Alice'), 4, /Bob/);
    // Renamed by a program that does not know where tokens are stored: it can still connect.
    await using owner = await client(daemon);
    await owner.agents.rename('Robert', 'Rob');
    expectFailure(await cli('inbox', '--as', 'Robert'), 5, /belongs to "Rob"/, /Rob/);
    expect(output(await cli('inbox', '--as', 'Rob'))).toBe('No messages in inbox.\n');
    await owner.agents.rename('Rob', 'Robert');
    expect(output(await cli('agent', 'token', 'Robert'))).toMatch(/^Replaced the token of Robert\. /);
    expect(output(await cli('inbox', '--as', 'Robert'))).toBe('No messages in inbox.\n');
    expectFailure(await cli('agent', 'rename', 'Robert', 'alice'), 2, /taken|Alice/);
    expectFailure(await cli('agent', 'rename', 'Robert', 'lead'), 2, /reserved/);
    expectFailure(await cli('agent', 'remove', 'Bob'), 4, /Bob/);
    await using robert = await client(daemon, { name: 'Robert', reconnect: false });
    const closed = new Promise((resolve) => robert.on('closed', resolve));
    expect(output(await cli('agent', 'remove', 'Robert'))).toBe('Removed Robert.\n');
    expect(await closed).toMatchObject({ code: 'Unauthorized' });
    expect(json(await cli('who', '--all', '--json')).map(({ name }: { name: string }) => name)).toEqual([
      'Alice',
    ]);
    expect(output(await cli('history'))).toContain('for you');
    expect(output(await cli('inbox', '--as', 'Robert'))).toBe('No messages in inbox.\n');
  });

  it('a workspace keeps its agents when it is renamed, and is deleted only after a yes', async () => {
    await using daemon = await startDaemon();
    const cli = (...args: string[]) => daemon.cli(args);
    await known(daemon, 'Alice');
    const { projectDirectory: root } = daemon;
    const renaming = await daemon.cli(['workspace', 'rename', 'demo', 'shop', '--project', 'demo'], {
      cwd: daemon.directory,
      env: { RELAY_PROJECT: 'demo' },
    });
    expect(output(renaming).split('\n')).toEqual([
      'Renamed demo to shop.',
      `Recorded in ${root}.`,
      'RELAY_PROJECT still says demo: set it to shop.',
      'Connected clients stay connected. Anyone who uses demo gets an error with the new name.',
      '',
    ]);
    expect(output(await cli('inbox', '--as', 'Alice'))).toBe('No messages in inbox.\n');
    expect(json(await cli('status', '--json'))).toMatchObject({ project: 'shop' });
    expectFailure(
      await cli('who', '--project', 'demo'),
      4,
      /"demo" .* was renamed to "shop"/,
      /--project shop/,
    );
    output(await cli('workspace', 'create', 'other'));
    expectFailure(await cli('workspace', 'rename', 'shop', 'Other'), 2, /exists/);
    await rename(join(root, '.relay'), join(root, 'elsewhere'));
    await symlink('elsewhere', join(root, '.relay'));
    expect(json(await cli('workspace', 'rename', 'shop', 'store', '--json'))).toMatchObject({
      name: 'store',
      root,
      recorded: [],
      unrecorded: [root],
    });
    // The record has the old name, and leads to the socket, which stays the same.
    expect(json(await cli('status', '--json'))).toMatchObject({ project: 'store' });
    expect(output(await cli('inbox', '--as', 'Alice'))).toBe('No messages in inbox.\n');
    await rm(join(root, '.relay'));
    await rename(join(root, 'elsewhere'), join(root, '.relay'));
    const record = await readFile(join(root, '.relay', 'config.json'));
    await writeFile(join(root, '.relay', 'config.json'), 'no JSON');
    const elsewhere = { cwd: daemon.directory };
    expect(
      output(await daemon.cli(['workspace', 'rename', 'store', 'depot', '--project', 'store'], elsewhere)),
    ).toContain(`Cannot record the new name in ${root}/.relay/config.json.`);
    await writeFile(join(root, '.relay', 'config.json'), record);
    // However it is spelled: the tokens of its agents are found.
    output(await cli('workspace', 'rename', 'DEPOT', 'Store', '--project', 'depot'));
    expect(output(await cli('inbox', '--as', 'Alice', '--project', 'Store'))).toBe('No messages in inbox.\n');
    output(await cli('workspace', 'rename', 'store', 'store', '--project', 'Store'));
    expect(output(await cli('inbox', '--as', 'Alice', '--project', 'store'))).toBe('No messages in inbox.\n');
    expect(output(await cli('daemon', 'start'))).toMatch(/project +store\n/);
    expect(json(await cli('status', '--json'))).toMatchObject({ project: 'store' });
    output(await cli('workspace', 'rename', 'store', 'shop'));
    expectFailure(await cli('workspace', 'rename', 'demo', 'x'), 4, /demo/);
    // Nothing moves, so an existing directory with the new name does not matter.
    await writeFile(join(daemon.dataDirectory, 'projects', 'blocked'), 'in the way');
    output(await cli('workspace', 'rename', 'shop', 'blocked'));
    expect(json(await cli('status', '--json', '--project', 'blocked'))).not.toHaveProperty('unserved');
    output(await cli('workspace', 'rename', 'blocked', 'shop'));
    expectFailure(await cli('workspace', 'remove', 'shop'), 2, /This deletes everything in shop/, /--yes/);
    expect(output(await cli('workspace', 'remove', 'shop', '--yes'))).toBe('Deleted shop.\n');
    const names = json(await cli('workspace', 'list', '--json', '--project', 'other'));
    expect(names.map(({ name }: { name: string }) => name)).toEqual(['other']);
    expect(json(await cli('audit', '--json', '--project', 'other'))).toEqual(expect.any(Array));
    expectFailure(
      await cli('who'),
      3,
      /^error: The daemon is running, but does not serve the project "shop" \(from \S+\.relay\/config\.json\)\./,
      /^next: Open it again in \S+ with: agent-relay daemon start; or choose another with --project$/m,
    );
    await daemon.stop();
    await daemon.start();
    expect(output(await cli('inbox', '--as', 'Alice'))).toBe('No messages in inbox.\n');
  });

  it('an ephemeral agent is removed some time after it disconnects', async ({ expect }) => {
    await using daemon = await startDaemon({ settings: { goneAfterMs: 1000 } });
    await using owner = await client(daemon);
    await (await client(daemon, { name: 'Passing', ephemeral: true })).close();
    const names = async () => (await owner.who({ includeOffline: true })).map(({ name }) => name);
    expect(await names()).toEqual(['Passing']);
    await expect.poll(names, { timeout: 10_000 }).toEqual([]);
  });
});
