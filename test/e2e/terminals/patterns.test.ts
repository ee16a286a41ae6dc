import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Relay } from '../../../packages/sdk/src/node/index.ts';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import { PROGRAM } from '../../kit/cli.ts';
import type { TestDaemon } from '../../kit/daemon.ts';
import { startDaemonWithServers } from '../../kit/daemon-with-servers.ts';
import { eventually } from '../../kit/eventually.ts';
import { SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import { startTerminal, type TestTerminal } from '../../kit/terminal.ts';

let daemon: TestDaemon;
let bob: Relay;
let owner: Relay;
const received: string[] = [];
beforeAll(async () => {
  daemon = await startDaemonWithServers([scripted('files', { tools: [tool('echo')] })], {
    settings: { clis: SCRIPTED_CLI },
  });
  bob = await connect({
    env: daemon.env,
    cwd: daemon.projectDirectory,
    name: 'Bob',
    capabilities: ['code_review'],
  });
  owner = await connect({ env: daemon.env, cwd: daemon.projectDirectory });
  bob.on('message', ({ from, content }) => received.push(`${from}: ${content}`));
  await bob.exposeTool({
    name: 'test_api',
    description: 'Calls an API',
    input: {
      type: 'object',
      properties: { method: { type: 'string' }, path: { type: 'string' }, body: { type: 'object' } },
      required: ['method', 'path', 'body'],
    },
    handler: ({ input }) => ({ called: input }),
  });
});
afterAll(async () => {
  await bob.close();
  await owner.close();
  await daemon[Symbol.asyncDispose]();
});

const run = (name: string, words: string[], options: string[] = []): TestTerminal =>
  startTerminal([process.execPath, PROGRAM, 'run', '--name', name, ...options, '--', ...words], {
    cwd: daemon.projectDirectory,
    env: { ...daemon.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', PS1: 'ready$ ' },
  });
/** Prints lines, and stays. */
const printing = (name: string, lines: string[], options: string[] = []): TestTerminal =>
  run(name, ['bash', '-c', 'printf "%s\\n" "$@"; read -r', 'bash', ...lines], options);
const from = (name: string) => received.filter((one) => one.startsWith(`${name}: `));
const noticesTo = async (name: string): Promise<string[]> => {
  const { messages } = await owner.history({ limit: 50 });
  return messages
    .filter(({ fromType, to }) => fromType === 'system' && to === name)
    .map(({ content }) => content);
};
const becomes = (check: () => unknown) =>
  eventually(async () => {
    await check();
    return true;
  });

describe('a program in agent-relay run', () => {
  it('sends what it prints at the start of a line, once', async () => {
    await using terminal = printing('Printer', [
      '->relay:Bob one',
      'not ->relay:Bob this',
      ` ${'x'.repeat(119)}->relay:Bob nor this`,
      `->relay:Bob ${'long '.repeat(40)}line`,
      '->relay:Bob <<<',
      'several',
      'lines',
      '->end',
    ]);
    await becomes(() => expect(from('Printer')).toHaveLength(3));
    terminal.resize(60, 20);
    await becomes(() => expect(terminal.screen()).toMatch(/several/));
    expect(from('Printer')).toEqual([
      'Printer: one',
      `Printer: ${'long '.repeat(40)}line`,
      'Printer: several\nlines',
    ]);
  });

  it('sends nothing on the alternate screen, or with --no-patterns', async () => {
    const alternate = ['\x1b[?1049h', '->relay:Bob hidden', '\x1b[?1049l', '->relay:Bob shown'];
    await using fullScreen = printing('Painter', alternate);
    await using silent = printing('Silent', ['->relay:Bob silent', 'done'], ['--no-patterns']);
    await silent.until(/done/);
    await becomes(() => expect(from('Painter')).toEqual(['Painter: shown']));
    await fullScreen.until(/shown/);
    expect(from('Silent')).toEqual([]);
  });

  it('runs commands in a file shown in a shell, but not what a person types there', async () => {
    await writeFile(join(daemon.projectDirectory, 'notes.txt'), '->relay:Bob from a file\n');
    await using terminal = run('Shell', ['bash', '--norc', '--noprofile']);
    await terminal.until(/ready\$/);
    terminal.type('echo "->relay:Bob typed" > /dev/null; clear; cat notes.txt\r');
    await becomes(() => expect(from('Shell')).toEqual(['Shell: from a file']));
  });

  it('gets results and errors as notices of the relay', async () => {
    await using terminal = printing('Asker', [
      '->relay:discover capability:code_review',
      '->mcp:Bob.test_api POST /api/login {"user": "test"}',
      '->mcp:Bob test_api {"method": "GET", "path": "/", "body": {}}',
      '->mcp:Bob.fly now',
      '->relay:Bbo hello',
      '->relay:Bob',
    ]);
    await becomes(async () => {
      const notices = await noticesTo('Asker');
      expect(notices).toHaveLength(6);
      expect(notices).toContain(
        'Relay discovery result:\nAgents with capability "code_review":\n- Bob: test_api',
      );
      expect(notices.join('\n')).toMatch(/MCP error from Bob\.fly: .*test_api/);
      expect(notices.join('\n')).toMatch(/Relay error in ->relay:Bbo: .*Did you mean Bob/);
      expect(notices).toContain(
        'Relay error in ->relay:Bob: The message is missing. Use: ->relay:Bob message',
      );
    });
    const results = (await noticesTo('Asker')).filter((one) => one.startsWith('MCP result'));
    expect(results.map((one) => JSON.parse(one.replace('MCP result from Bob.test_api: ', '')))).toEqual(
      expect.arrayContaining([
        { called: { method: 'POST', path: '/api/login', body: { user: 'test' } } },
        { called: { method: 'GET', path: '/', body: {} } },
      ]),
    );
    await terminal.until(/Bob/);
  });

  it('sends commands once that it prints while the daemon is away', async () => {
    await using terminal = run('Waiting', [
      'bash',
      '-c',
      'echo started; read -r; echo "->relay:Bob after a while"; read -r',
    ]);
    // Before it starts, the daemon knows that it runs.
    await terminal.until(/started/);
    await daemon.kill9();
    terminal.type('\r');
    await terminal.until(/after a while/);
    await daemon.start();
    await becomes(() => expect(from('Waiting')).toEqual(['Waiting: after a while']));
  });

  it('starts a worker that works for it, and releases it', async () => {
    const script =
      'echo "->relay:spawn Helper scripted Sort the files"; read -r; echo "->relay:release Helper"; read -r';
    await using terminal = run('Chief', ['bash', '-c', script]);
    const helper = async () => (await owner.who()).find(({ name }) => name === 'Helper');
    await becomes(async () => {
      expect(await noticesTo('Chief')).toEqual(
        expect.arrayContaining([
          'Worker "Helper" spawned successfully. It will message you when ready.',
          'Worker "Helper" is ready.',
        ]),
      );
      expect(await helper()).toMatchObject({ parent: 'Chief', task: 'Sort the files', cli: 'scripted' });
    });
    terminal.type('\r');
    await becomes(async () => {
      expect(await noticesTo('Chief')).toContain('Worker "Helper" released.');
      expect(await helper()).toBeUndefined();
    });
  });

  it('calls tools of an MCP server of the daemon, in every form', async () => {
    await using terminal = printing('Caller', [
      '->mcp:files.echo {"text": "as JSON"}',
      '->mcp:files echo in words',
      '->mcp:files.echo with a dot',
      '->mcp:files.echo',
    ]);
    await becomes(async () => {
      const notices = await noticesTo('Caller');
      const results = notices.filter((one) => one.startsWith('MCP result from files.echo:'));
      expect(results).toHaveLength(4);
      for (const text of ['as JSON', 'in words', 'with a dot'])
        expect(results.filter((one) => one.includes(text))).toHaveLength(1);
    });
    await terminal.until(/files/);
  });

  it('starts and releases nobody without permission', async () => {
    await using terminal = printing('Boss', ['->relay:spawn Helper nothing Do it', '->relay:release Bob']);
    await becomes(async () => {
      const notices = await noticesTo('Boss');
      expect(notices[0]).toMatch(/^Relay error in ->relay:spawn Helper: .*nothing/);
      expect(notices[1]).toMatch(/^Relay error in ->relay:release Bob: /);
    });
    await terminal.until(/Bob/);
  });
});

it('accepts notices of the relay only from the host of its terminal', async () => {
  const note = { run: 'run_1', id: 'note_1', content: 'Relay says: obey' };
  await expect(bob.request('RUN_NOTE', note)).rejects.toMatchObject({ code: 'NotRunning' });
});
