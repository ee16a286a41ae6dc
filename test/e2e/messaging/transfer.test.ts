import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client, known } from './commands.ts';

let daemon: TestDaemon;
let file: string;
beforeAll(async () => {
  daemon = await startDaemon({ settings: { rateLimit: { perSecond: 0 }, governor: { enabled: false } } });
  file = join(daemon.directory, 'demo.jsonl');
  await using alice = await client(daemon, { name: 'Alice', channels: ['dev'] });
  await using bob = await client(daemon, { name: 'Bob', channels: ['dev'] });
  await using gone = await client(daemon, { name: 'Gone' });
  const log = await alice.attach('build.log', new Uint8Array(400_000).fill(66), 'text/plain');
  const first = await alice.send('#dev', 'the Zeppelin has landed, @Bob', { attachments: [log.id] });
  // Marks that are raw in JSON, and the end of a line, or an order, to others.
  await bob.reply(first.messageId, 'at\u2028last\u009b2J');
  await bob.react(first.messageId, '🎉');
  await bob.read(first.messageId);
  await gone.send(['Alice', 'Bob'], 'good bye');
  await alice.send('*', 'to all');
  const secret = await alice.send('Bob', 'p4ssword');
  await alice.redact(secret.messageId);
  await Promise.all(Array.from({ length: 1201 }, (_, count) => bob.send('Alice', `message ${count}`)));
  output(await daemon.cli(['agent', 'remove', 'Gone']));
  output(await daemon.cli(['export', file]));
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** A file whose second line is this one. */
const withLine = (text: string, line: string): string => text.replace('\n', `\n${line}\n`);

const agentLine = (more: object): string =>
  JSON.stringify({
    type: 'agent',
    agent: 'Alice',
    agentType: 'agent',
    lead: false,
    ephemeral: false,
    capabilities: [],
    tools: [],
    mcpEnabled: false,
    createdAt: 1,
    lastSeenAt: 1,
    ...more,
  });

describe('an export', () => {
  it('is JSON Lines with a header, every record, and a footer that counts them', async () => {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line));
    expect(records[0]).toMatchObject({ type: 'export', version: 1, project: 'demo' });
    expect(records.at(-1)).toMatchObject({
      type: 'end',
      counts: { message: 1206, reaction: 1, channel: 2, attachment: 1 },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(lines.join()).not.toMatch(/p4ssword|at_|rk_|\p{Cc}/u);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each([['export'], ['export', '-']])('is the same each time, also on stdout (%s %s)', async (...args) => {
    const first = (await readFile(file, 'utf8')).split('\n').slice(1);
    const second = output(await daemon.cli(args))
      .split('\n')
      .slice(1);
    expect(second).toEqual(first);
  });

  it('does not overwrite a file, and is allowed for the owner only', async () => {
    expectFailure(await daemon.cli(['export', file]), 2, /Cannot write/, /another file/);
    await using alice = await client(daemon, { name: 'Alice' });
    await expect(alice.workspaces.export().next()).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(alice.workspaces.import([])).rejects.toMatchObject({ code: 'InvalidRequest' });
  });
});

describe('an import', () => {
  it('copies everything to another daemon, checked by counts and hashes, and can be repeated', async () => {
    await using other = await startDaemon({ projectName: 'copy' });
    const imported = json(await other.cli(['import', file, '--json']));
    expect(imported).toMatchObject({ elsewhere: 0, missing: 0, counts: { message: 1206 } });
    const again = output(await other.cli(['import', file]));
    expect(again).toMatch(
      /\d+ records: 0 added, \d+ already there\.\nVerified: the project has every record/,
    );
    const copy = output(await other.cli(['export']))
      .split('\n')
      .slice(1);
    expect(copy).toEqual((await readFile(file, 'utf8')).split('\n').slice(1));

    const cli = (...args: string[]) => other.cli(args);
    expect(json(await cli('search', 'zeppelin', '--json'))).toHaveLength(1);
    expect(output(await cli('channel', 'members', 'dev'))).toBe('Alice\nBob\n');
    expect(json(await cli('who', '--all', '--json')).map(({ name }: { name: string }) => name)).toEqual([
      'Alice',
      'Bob',
    ]);
    // A name without its token cannot be used until the owner creates a new one.
    expectFailure(await cli('inbox', '--as', 'Bob'), 2, /is taken, and you did not present its token/);
    output(await cli('agent', 'token', 'Bob'));
    const { messages, unread } = json(await cli('inbox', '--as', 'Bob', '--limit', '1', '--json'));
    expect(messages).toMatchObject([{ content: 'good bye', group: ['Alice', 'Bob', expect.any(String)] }]);
    expect(unread).toBe(2);
    const [first] = json(await cli('search', 'zeppelin', '--json'));
    const [attachment] = first.message.attachments;
    expect(output(await cli('attachment', 'get', attachment.id))).toBe('B'.repeat(400_000));
    output(await cli('send', '#dev', 'and we go on', '--as', 'Bob'));
    expect(json(await cli('history', '--channel', 'dev', '--limit', '1', '--json')).messages).toMatchObject([
      { content: 'and we go on' },
    ]);
  });

  it('does not change existing records, including #general', async () => {
    await using other = await startDaemon({ projectName: 'lively' });
    output(await other.cli(['channel', 'topic', 'general', 'ours']));
    const clash = await other.cli(['import', file, '--json']);
    expect(clash.code).toBe(2);
    const channels = json(await other.cli(['channel', 'list', '--json']));
    expect(channels).toContainEqual(expect.objectContaining({ name: '#general', topic: 'ours' }));
  });

  it('fails when the project does not have every record in the end', async () => {
    output(await daemon.cli(['workspace', 'create', 'second']));
    const beside = await daemon.cli(['import', file, '--project', 'second']);
    expect(beside.code).toBe(2);
    expect(beside.stdout).toMatch(/\d+ skipped: they are in another project of this daemon\.\n$/);
    expect(beside.stderr).toMatch(
      /^error: \d+ of \d+ records differ from the export, or are missing\.\nnext: .*another daemon/,
    );
    await using other = await startDaemon({ projectName: 'copy' });
    await known(other, 'Alice');
    const clash = await other.cli(['import', file, '--json']);
    expect(clash.code).toBe(2);
    expect(JSON.parse(clash.stdout)).toMatchObject({
      error: { code: 'InvalidRequest', next: expect.stringContaining('an empty project') },
    });
  });

  it.each<[what: string, change: (text: string) => string, message: RegExp]>([
    ['cut off', (text) => text.split('\n').slice(0, -3).join('\n'), /it is truncated/],
    ['changed', (text) => text.replace('Zeppelin', 'zeppelin'), /its records were changed/],
    ['without a record', (text) => text.replace(/\{"type":"reaction".*\n/, ''), /its records were changed/],
    ['followed by more', (text) => `${text}${agentLine({})}\n`, /there is data after its end/],
    ['empty', () => '', /it is empty/],
    ['no JSON', (text) => text.replace('\n', '\n{oops\n'), /line 2 is not JSON/],
    ['no export', () => `${agentLine({})}\n`, /is not an export/],
    [
      'dated beyond all dates',
      (text) => withLine(text, agentLine({ createdAt: 8.64e15 + 1 })),
      /line 2 .*createdAt: at most/,
    ],
    ['of unknown records', (text) => withLine(text, '{"type":"mystery"}'), /line 2 is not a record/],
    [
      'deep',
      (text) => withLine(text, `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
      /line 2 is not a record/,
    ],
    [
      'deep in a record',
      (text) =>
        withLine(
          text,
          agentLine({ tools: [{ name: 'deep', description: '', inputSchema: 'DEEP' }] }).replace(
            '"DEEP"',
            `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
          ),
        ),
      /line 2 .*nested deeper than 32 levels/,
    ],
    [
      'too wide',
      (text) => withLine(text, `{"type":"${'x'.repeat(2_000_000)}"}`),
      /line 2 is longer than \d+ bytes/,
    ],
    [
      'against a rule',
      (text) =>
        withLine(
          text,
          '{"type":"channel","name":"general","createdBy":"relay","createdAt":1,"archivedAt":2}',
        ),
      /line 2 .*#general cannot be archived/,
    ],
  ])('of a file that is %s is refused before anything is done', async (_what, change, message) => {
    const damaged = join(daemon.directory, 'damaged.jsonl');
    await writeFile(damaged, change(await readFile(file, 'utf8')));
    expectFailure(await daemon.cli(['import', damaged]), 2, message);
  });

  it('of a missing file, or of invalid records, is refused', async () => {
    expectFailure(await daemon.cli(['import', `${file}.none`]), 2, /Cannot read \S+: no such file/);
    await using owner = await client(daemon);
    const record = { type: 'reaction', message: 'msg_1', agent: 'Alice', emoji: '🎉', at: -1 } as const;
    await expect(owner.workspaces.import([record])).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: expect.stringMatching(/records\.0\.at/),
    });
  });
});
