import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { type PostgresServer, startPostgres } from '../../kit/postgres.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client, known } from '../messaging/commands.ts';

let server: PostgresServer;
let daemon: TestDaemon;
beforeAll(async () => {
  server = await startPostgres();
  daemon = await startDaemon({ settings: { database: await server.createDatabase('relay') } });
  await known(daemon, 'Alice', 'Bob');
});
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await server?.stop();
});

const relay = (...args: string[]) => daemon.cli(args);

describe('a daemon on PostgreSQL, by the command line', () => {
  it('shows its database without the password', async () => {
    const { stdout } = await relay('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ database: 'postgres' });
    expect(stdout).not.toContain('relay:relay');
  });

  it('sends, delivers, searches and shows the history, also after a restart', async () => {
    output(await relay('send', 'Bob', 'The parser is repaired.', '--as', 'Alice'));
    output(await relay('channel', 'create', 'dev', '--as', 'Alice'));
    output(await relay('channel', 'join', 'dev', '--as', 'Bob'));
    output(await relay('send', '#dev', 'Release 7 is out.', '--as', 'Alice'));
    const check = async () => {
      const { messages } = json(await relay('inbox', '--as', 'Bob', '--all', '--json'));
      expect(messages).toMatchObject([
        { from: 'Alice', to: 'Bob', content: 'The parser is repaired.' },
        { from: 'Alice', to: '#dev', content: 'Release 7 is out.' },
      ]);
      expect(output(await relay('search', 'parser', '--as', 'Bob'))).toContain('The parser is repaired.');
      expect(output(await relay('search', 'nothing', '--as', 'Bob'))).toBe('No messages found.\n');
      expect(output(await relay('history', '--channel', 'dev'))).toContain('Release 7 is out.');
      expect(output(await relay('export'))).toContain('"body":"The parser is repaired."');
    };
    await check();
    await daemon.stop();
    expectFailure(await relay('inbox', '--as', 'Bob'), 3, /not running|No daemon/);
    await daemon.start();
    await check();
  });

  it('loses no acknowledged message when it is killed', async () => {
    await using alice = await client(daemon, { name: 'Alice', reconnect: { minDelayMs: 5, maxDelayMs: 50 } });
    const contents = Array.from({ length: 200 }, (_, index) => `number ${index}`);
    const sends = contents.map((content) => alice.send('Bob', content));
    await sends[20];
    await daemon.kill9();
    await daemon.start();
    await Promise.all(sends);
    const { messages } = json(await relay('inbox', '--as', 'Bob', '--limit', '500', '--json'));
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(contents);
  });
});
