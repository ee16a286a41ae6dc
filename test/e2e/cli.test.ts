import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { connect, localAgentToken, personName } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTerminals, PROGRAM } from '../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { olderNode } from '../kit/older-node.ts';
import { expectFailure, json } from '../kit/results.ts';
import { ScriptedPeer } from '../kit/scripted-peer.ts';
import { startTerminal } from '../kit/terminal.ts';
import { known as register } from './messaging/commands.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ settings: { heartbeatMs: 1000 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const relay = (...args: string[]) => daemon.cli(args);

const known = (...names: string[]) => register(daemon, ...names);

describe('sending and reading', () => {
  it('delivers a message from one agent to the inbox of another, once', async () => {
    await known('Alice', 'Bob');
    const sent = await relay('send', 'Bob', 'hello', 'there', '--as', 'Alice');
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toMatch(
      /^Message sent to Bob \(\S+\)\.\nOffline: Bob\. The message is delivered when it returns\.\n$/,
    );
    const inbox = await relay('inbox', '--as', 'bob');
    expect(inbox.stdout).toMatch(/^Alice → Bob .*\n {2}hello there\n$/);
    expect((await relay('inbox', '--as', 'Bob')).stdout).toBe('No messages in inbox.\n');
    expect((await relay('inbox', '--as', 'Bob', '--all')).stdout).toContain('hello there');
  });

  it('shows messages without marking them read with --peek', async () => {
    await known('Peeker', 'Alice');
    await relay('send', 'Peeker', 'look', '--as', 'Alice');
    expect((await relay('inbox', '--as', 'Peeker', '--peek')).stdout).toContain('look');
    expect(json(await relay('inbox', '--as', 'Peeker', '--json')).messages).toHaveLength(1);
    expect(json(await relay('inbox', '--as', 'Peeker', '--json'))).toEqual({ messages: [], unread: 0 });
  });

  it('limits the inbox and filters it by sender', async () => {
    await known('Carol', 'Dave', 'Erin');
    for (const text of ['one', 'two', 'three']) await relay('send', 'Carol', text, '--as', 'Dave');
    await relay('send', 'Carol', 'other', '--as', 'Erin');
    const page = json(await relay('inbox', '--as', 'Carol', '--limit', '2', '--from', 'Dave', '--json'));
    expect(page.messages.map((message: { content: string }) => message.content)).toEqual(['one', 'two']);
    expect((await relay('inbox', '--as', 'Carol', '--limit', '1')).stdout).toMatch(
      /three[\s\S]*1 unread message left\.\n$/,
    );
  });

  it.each([['-'], []])('reads the message from standard input (%s)', async (...word) => {
    await known('Reader');
    const sent = await daemon.cli(['send', 'Reader', ...word, '--as', 'Alice'], { input: 'first\nsecond\n' });
    expect(sent.code).toBe(0);
    const { messages } = json(await relay('inbox', '--as', 'Reader', '--json'));
    expect(messages[0].content).toBe('first\nsecond');
  });

  it('sends what the options say', async () => {
    await known('Frank');
    const first = json(await relay('send', 'Frank', 'ask', '--as', 'Alice', '--json'));
    await relay(
      ...['send', 'Frank', 'now', '--as', 'Alice', '--kind', 'directive', '--importance', 'high'],
      ...['--thread', 'task-1', '--reply-to', first.messageId],
    );
    const { messages } = json(await relay('inbox', '--as', 'Frank', '--json'));
    expect(messages[1]).toMatchObject({
      from: 'Alice',
      to: 'Frank',
      kind: 'directive',
      importance: 'high',
      thread: 'task-1',
      replyTo: first.messageId,
    });
  });

  it('sends a message with an id once, and refuses the id for another message', async () => {
    await known('Grace');
    const send = (text: string) => relay('send', 'Grace', text, '--id', 'my-id', '--as', 'Alice');
    expect((await send('same')).code).toBe(0);
    expect((await send('same')).stdout).toContain('Already sent before.');
    expectFailure(await send('different'), 2, /already used for a different message/);
    expect(json(await relay('inbox', '--as', 'Grace', '--json')).messages).toHaveLength(1);
  });

  it('waits for an answer and prints it', async () => {
    await known('Worker', 'Boss');
    await using waiting = daemon.startCli(['send', 'Worker', 'status?', '--as', 'Boss', '--await']);
    await using tail = daemon.startCli(['tail', '--since-seq', '0', '--json']);
    const [, question] = await tail.until(/"id":"(\S+?)","from":"Boss"/);
    await relay('send', 'Boss', 'all done', '--as', 'Worker', '--reply-to', question ?? '');
    expect(await waiting.result).toMatchObject({ code: 0, stdout: 'Response from Worker: all done\n' });
  });

  it.skipIf(!hasTerminals)('says in a terminal that the question is sent, and who is offline', async () => {
    await known('Absent', 'Boss');
    const args = ['send', 'Absent', 'status?', '--as', 'Boss', '--await', '--timeout', '1m'];
    await using waiting = daemon.startCli(args, { terminal: true });
    await waiting.until(
      /^Message sent to Absent \(msg_\w+\)\.\s+Offline: Absent\. The message is delivered when it returns\.\s+$/,
    );
    await relay('send', 'Boss', 'here', '--as', 'Absent');
    expect((await waiting.result).stdout).toMatch(/Response from Absent: here\s+$/);
  });

  it('ends with exit code 6 when no answer comes in time', async () => {
    await known('Silent');
    const result = await relay('send', 'Silent', 'hello?', '--as', 'Boss', '--await', '--timeout', '1s');
    expectFailure(
      result,
      6,
      /No answer from Silent to msg_\w+ within 1 s\. Silent has not read it yet \(offline/,
      /is stored/,
    );
  });

  it('acts under the name in the variable, otherwise as the user of this machine', async () => {
    await known('Heidi');
    await daemon.cli(['send', 'Heidi', 'by variable'], { env: { RELAY_AGENT_NAME: 'Ivan' } });
    await relay('send', 'Heidi', 'by user');
    const { messages } = json(await relay('inbox', '--as', 'Heidi', '--json'));
    const me = personName();
    expect(messages.map((message: { from: string }) => message.from)).toEqual(['Ivan', me]);
    const agents = json(await relay('who', '--all', '--json'));
    expect(agents).toContainEqual(expect.objectContaining({ name: me, type: 'human' }));
  });

  it("refuses to act as another agent inside an agent's terminal", async () => {
    await known('Grace', 'Heidi');
    const token = await localAgentToken(daemon.project, 'Grace', daemon.env);
    const env = { RELAY_AGENT_NAME: 'Grace', RELAY_AGENT_TOKEN: token };
    const refused = await daemon.cli(['send', 'Heidi', 'hello', '--as', 'Heidi'], { env });
    expectFailure(
      refused,
      5,
      /belongs to the agent Grace/,
      /env -u RELAY_AGENT_TOKEN agent-relay … --as Heidi/,
    );
    expect((await daemon.cli(['send', 'Heidi', 'hello', '--as', 'grace'], { env })).code).toBe(0);
    const unnamed = await daemon.cli(['send', 'Heidi', 'hello', '--as', 'Newcomer'], {
      env: { RELAY_AGENT_TOKEN: token },
    });
    expectFailure(unnamed, 5, /belongs to "Grace"/);
  });

  it('changes the standing of an agent', async () => {
    await known('Mona');
    expect((await relay('agent', 'set', 'Mona', '--lead')).stdout).toBe('Mona: agent, lead.\n');
    expect((await relay('agent', 'set', 'Mona', '--no-lead', '--type', 'human')).stdout).toBe(
      'Mona: human.\n',
    );
    expectFailure(
      await relay('agent', 'set', 'Mona'),
      2,
      /Nothing to change/,
      /--lead, --no-lead, --type, --grant or --revoke/,
    );
  });

  it('shows hostile text without its control characters', async () => {
    await known('Judy');
    await daemon.cli(['send', 'Judy', '-', '--as', 'Alice'], { input: 'a\u001b]52;c;eA==\u0007b\u202Ec' });
    const { stdout } = await relay('inbox', '--as', 'Judy');
    expect(stdout).toContain('a\u{FFFD}]52;c;eA==\u{FFFD}b\u{FFFD}c');
  });
});

describe('inspecting the project', () => {
  it('lists the agents that are online, or all', async () => {
    await known('Alice');
    expect((await relay('who', '--all')).stdout).toMatch(
      /^NAME +STATUS +UNREAD[\s\S]*\nAlice +offline +\d+ +- +- /,
    );
    expect((await relay('who')).stdout).not.toContain('Alice');
    expect(json(await relay('who', '--all', '--json'))).toContainEqual(
      expect.objectContaining({ name: 'Alice', status: 'offline', project: 'demo' }),
    );
  });

  it('shows unread messages and the task of each, not just its program', async () => {
    await using carl = await connect({
      name: 'Carl',
      cli: 'claude',
      env: daemon.env,
      cwd: daemon.projectDirectory,
    });
    await known('Dora');
    for (const text of ['one', 'two']) await carl.send('Dora', text);
    const { stdout } = await relay('who', '--all');
    expect(stdout).toMatch(/^Dora +offline +2 /m);
    expect(stdout).toMatch(/^Carl +active +0 +claude +\S+ +\S+Z$/m);
  });

  it('puts what does not fit below each agent in a narrow terminal', async () => {
    await using _known = await connect({
      name: 'Cora',
      cli: 'claude',
      task: 'Write the tests',
      env: daemon.env,
      cwd: daemon.projectDirectory,
    });
    const codex = { name: 'codex', cli: 'codex', env: daemon.env, cwd: daemon.projectDirectory };
    await using _named = await connect(codex);
    await known('Alice');
    await using terminal = startTerminal([process.execPath, PROGRAM, 'who', '--all'], {
      cwd: daemon.projectDirectory,
      env: { ...daemon.env, PATH: process.env.PATH ?? '' },
      columns: 40,
      rows: 200,
    });
    await terminal.until(/^Cora +(active|idle) +0\n {2}claude, Write the tests$/m);
    for (const name of ['Alice', 'codex'])
      await terminal.until(new RegExp(`^${name} +\\w+ +\\d+\\n(?! {2}\\S)`, 'm'));
  });

  it('omits the last-seen column if the table fits without it', async () => {
    await using other = await startDaemon();
    const cora = { name: 'Cora', cli: 'claude', task: 'Write the tests', env: other.env };
    await using _known = await connect({ ...cora, cwd: other.projectDirectory });
    await using terminal = startTerminal([process.execPath, PROGRAM, 'who'], {
      cwd: other.projectDirectory,
      env: { ...other.env, PATH: process.env.PATH ?? '' },
      columns: 56,
      rows: 50,
    });
    await terminal.until(/^NAME +STATUS +UNREAD +CLI +PATH +DOING\nCora .*Write the tests$/m);
  });

  it('needs no name, and registers none', async () => {
    const env = { RELAY_AGENT_NAME: 'Lurker' };
    for (const args of [['who'], ['status'], ['audit'], ['workspace', 'list']]) {
      expect(await daemon.cli(args, { env })).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await relay('who', '--all')).stdout).not.toContain('Lurker');
  });

  it('shows the status', async () => {
    const { stdout } = await relay('status');
    expect(stdout).toContain('demo');
    expect(stdout).toContain(daemon.socketPath);
    expect(stdout).toContain(daemon.http);
    expect(json(await relay('status', '--json'))).toMatchObject({ project: 'demo', pid: daemon.pid });
  });

  it('traces a message from stored to read, with the reason for waiting', async () => {
    await known('Alice', 'Mallory');
    const { messageId } = json(await relay('send', 'Mallory', 'hi', '--as', 'Alice', '--json'));
    const waiting = await relay('trace', messageId);
    expect(waiting.stdout).toMatch(/Alice → Mallory[\s\S]*Mallory +stored +\S+Z[\s\S]*waits +\S+/);
    await relay('inbox', '--as', 'Mallory');
    const read = json(await relay('trace', messageId, '--json'));
    expect(read.message.id).toBe(messageId);
    expect(read.deliveries).toEqual([expect.objectContaining({ recipient: 'Mallory', state: 'read' })]);
    expect((await relay('trace', messageId)).stdout).not.toContain('waits');
  });

  it.skipIf(!hasTerminals)(
    'shows in a terminal how long ago a message was stored, and how long each step took',
    async () => {
      await known('Alice', 'Mallory');
      const { messageId } = json(await relay('send', 'Mallory', 'hi', '--as', 'Alice', '--json'));
      await relay('inbox', '--as', 'Mallory');
      const { stdout } = await daemon.cli(['trace', messageId], { terminal: true });
      expect(stripVTControlCharacters(stdout)).toMatch(
        /Mallory +stored +(just now|\d+s ago)\s+read +\+(\d+ ms|[\d.]+ s) +by pull/,
      );
    },
  );

  it('follows all messages until Ctrl-C, with exit code 0', async () => {
    await known('Alice', 'Niaj');
    await using tail = daemon.startCli(['tail', '--since-seq', '0']);
    await relay('send', 'Niaj', 'seen by the owner', '--as', 'Alice');
    await tail.until(/Alice → Niaj .*\n {2}seen by the owner/);
    tail.child.kill('SIGINT');
    expect(await tail.result).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it.skipIf(!hasTerminals)(
    'follows in a terminal with absolute times, and says what it follows',
    async () => {
      await known('Alice', 'Niaj');
      const env = { ...daemon.env, NO_COLOR: '1' };
      await using tail = daemon.startCli(['tail', '--since-seq', '0'], { terminal: true, env });
      await tail.until(/Following all messages in project demo\. Ctrl-C to stop\./);
      await relay('send', 'Niaj', 'at what time?', '--as', 'Alice');
      await tail.until(/Alice → Niaj {2}\d\d:\d\d:\d\d · \w+\s+at what time\?/);
      tail.child.stdin?.write('\u0003');
      expect(await tail.result).toMatchObject({ code: 0 });
    },
  );

  // The terminal sends Ctrl-C to all its processes, and a wrapper passes it on: it arrives two or three times.
  it.each([
    ['this Node', process.execPath],
    ['an older Node, which runs the command in another process', olderNode()],
  ])('ends with exit code 0 even if Ctrl-C arrives several times, on %s', async (_which, node) => {
    await known('Alice', 'Niaj');
    await relay('send', 'Niaj', 'something to show', '--as', 'Alice');
    const commands = [
      ['tail', '--since-seq', '0'],
      ['inbox', '--follow', '--peek', '--as', 'Niaj'],
      ['chat', '--as', 'Niaj'],
    ];
    for (const args of commands) {
      await using running = daemon.startCli(args, node === undefined ? {} : { node });
      await running.until(/\S/);
      // Two different signals: the system would merge equal ones.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) running.child.kill(signal);
      expect({ args, ...(await running.result) }).toMatchObject({ args, code: 0, signal: null });
    }
  });

  it('follows as JSON lines, from a position', async () => {
    await known('Olivia');
    const { seq } = json(await relay('send', 'Olivia', 'before', '--as', 'Alice', '--json'));
    await relay('send', 'Olivia', 'after', '--as', 'Alice');
    await using tail = daemon.startCli(['tail', '--json', '--since-seq', String(seq)]);
    await tail.until(/"after"/);
    tail.child.kill('SIGINT');
    const [first] = (await tail.result).stdout.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ content: 'after' });
  });
});

describe('workspaces, keys and tokens', () => {
  it('creates a workspace and shows its key once', async () => {
    const created = await relay('workspace', 'create', 'ci');
    expect(created.code).toBe(0);
    expect(created.stdout).toMatch(
      /^Created workspace ci\.\nKey \w+ \(shown once\):\nrk_\S+\n.*RELAY_WORKSPACE_KEY/,
    );
    expect((await relay('workspace', 'list')).stdout).toMatch(/\nci +0 /);
    const list = await relay('workspace', 'list', '--json');
    expect(json(list).map((workspace: { name: string }) => workspace.name)).toEqual(
      expect.arrayContaining(['demo', 'ci']),
    );
    expectFailure(await relay('workspace', 'create', 'CI'), 2, /exists/);
  });

  it('creates, lists, revokes and rotates keys', async () => {
    const key = (...args: string[]) => relay('workspace', 'key', ...args, '--project', 'demo');
    const first = json(await key('create', '--json'));
    expect(first.key).toMatch(/^rk_/);
    expect((await key('list')).stdout).toMatch(new RegExp(`${first.keyId} +\\S+ +valid`));
    expect((await key('revoke', first.keyId)).code).toBe(0);
    expect((await key('list')).stdout).toMatch(new RegExp(`${first.keyId} +\\S+ +revoked`));
    expectFailure(await key('revoke', first.keyId), 4, /no valid key/, /key list/);
    const second = json(await key('create', '--json'));
    expect(json(await key('rotate', '--json'))).toMatchObject({ revoked: [second.keyId] });
    const rotated = await key('rotate');
    expect(rotated.stdout).toMatch(/^Revoked: \w+\nKey \w+ \(shown once\):\nrk_/);
    expect(json(await key('list', '--json')).filter((one: object) => !('revokedAt' in one))).toHaveLength(1);
    expect((await key('list')).stdout).not.toContain('rk_');
  });

  it('gives an agent a new token that this machine keeps using', async () => {
    await known('Peggy');
    expect((await relay('agent', 'token', 'Peggy')).stdout).toMatch(
      /^Replaced the token of Peggy\. The new one is in \S+\.\n/,
    );
    expect(await relay('inbox', '--as', 'Peggy')).toMatchObject({ code: 0, stderr: '' });
    expectFailure(await relay('agent', 'token', 'Pegy'), 4, /Pegy/, /Did you mean Peggy\?/);
  });

  it('records all of this in the audit trail', async () => {
    await relay('workspace', 'key', 'create');
    expect((await relay('audit')).stdout).toMatch(/^ACTION +WHO[\s\S]*\nkey\.created +owner /);
    expect(json(await relay('audit', '--limit', '1', '--json'))).toHaveLength(1);
  });
});

describe('another machine, by WebSocket', () => {
  const remote = (key: string, env = {}) => {
    const settings = {
      RELAY_URL: `ws://${daemon.http}/ws`,
      RELAY_WORKSPACE_KEY: key,
      RELAY_DATA_DIR: '/nonexistent',
    };
    return (...args: string[]) => daemon.cli(args, { env: { ...settings, ...env } });
  };

  it('connects with a key, and uses a name again with its token', async () => {
    await known('Alice');
    const { key } = json(await relay('workspace', 'key', 'create', '--json'));
    const first = await remote(key)('send', 'Alice', 'from afar', '--as', 'Rupert');
    expect(first.code).toBe(0);
    const token = /RELAY_AGENT_TOKEN; it is shown once:\n(at_\S+)\n/.exec(first.stderr)?.[1] ?? '';
    expectFailure(
      await remote(key)('inbox', '--as', 'Rupert'),
      2,
      /is taken, and you did not present its token/,
    );
    const again = remote(key, { RELAY_AGENT_TOKEN: token });
    expect(await again('inbox', '--as', 'Rupert')).toMatchObject({ code: 0, stderr: '' });
    expect((await remote(key)('who', '--all')).stdout).toContain('Rupert');
  });

  it('refuses a wrong or revoked key, and a key for commands of the owner', async () => {
    const { key, keyId } = json(await relay('workspace', 'key', 'create', '--json'));
    expectFailure(await remote(key)('audit'), 5, /Only the local owner/, /the daemon's machine/);
    await relay('workspace', 'key', 'revoke', keyId);
    for (const wrong of [key, 'rk_wrong', '']) {
      expectFailure(await remote(wrong)('who'), 5, /key/i, /workspace key create/);
    }
  });

  it('reports that the daemon does not run', async () => {
    const result = await remote('rk_x', { RELAY_URL: 'ws://127.0.0.1:1/ws' })('who');
    expectFailure(result, 3, /127\.0\.0\.1:1/);
  });
});

describe('bad input', () => {
  beforeAll(() => known('Alice'));

  it.each<[what: string, args: string[], code: number, message: RegExp, next?: RegExp]>([
    ['an unknown recipient', ['send', 'Alise', 'x'], 4, /Alise/, /Did you mean Alice/],
    [
      'an unknown recipient like none',
      ['send', 'Zzyzx', 'x'],
      4,
      /Zzyzx/,
      /agent-relay who --all.*inbox --as NAME/,
    ],
    ['an unknown channel', ['send', '#nowhere', 'x'], 4, /nowhere/],
    ['another project', ['send', 'nowhere:Alice', 'x'], 4, /nowhere/, /agent-relay workspace list/],
    ['an empty message', ['send', 'Alice', ''], 2, /content|empty/i],
    ['an address that is none', ['send', 'demo:', 'x'], 2, /names no recipient/, /project:Name/],
    ['an invalid name', ['inbox', '--as', 'a b'], 2, /cannot contain a space\./, /letters, digits/],
    ['a reserved name', ['inbox', '--as', 'system'], 2, /reserved/, /another name/],
    ['a name in other letters', ['inbox', '--as', 'Аlice'], 2, /U\+0410/],
    ['a name that looks like another', ['inbox', '--as', 'A1ice'], 2, /Alice/],
    ['an unknown message', ['trace', 'm_nothing'], 4, /m_nothing|message/i],
    ['an unknown project', ['who', '--project', 'ghost'], 4, /ghost/, /agent-relay workspace list/],
    ['a project name that is none', ['who', '--project', '../x'], 2, /project name/],
    ['a number that is none', ['inbox', '--limit', 'many'], 2, /whole number/, /agent-relay inbox --help/],
    ['a limit of nothing', ['inbox', '--limit', '0'], 2, /1 or more/],
    [
      'a limit beyond the protocol',
      ['inbox', '--as', 'Alice', '--limit', '100000'],
      2,
      /limit: at most 500\./,
    ],
    ['a search for nothing', ['search', ''], 2, /query: is empty\./],
    ['a kind that is none', ['send', 'Alice', 'x', '--kind', 'joke'], 2, /status, question, directive, free/],
    ['an unknown option', ['send', 'Alice', 'x', '--hep'], 2, /--hep/, /--help|mean/],
    ['a missing argument', ['trace'], 2, /missing required argument 'id'/i, /agent-relay trace --help/],
    [
      'a missing argument below a group',
      ['held', 'release'],
      2,
      /missing/i,
      /agent-relay held release --help/,
    ],
    [
      'one further below',
      ['workspace', 'key', 'revoke'],
      2,
      /missing/i,
      /agent-relay workspace key revoke --help/,
    ],
    ['an argument too many', ['who', 'Alice'], 2, /too many arguments/i, /agent-relay who --help/],
    ['an unknown command', ['sned', 'Alice'], 2, /unknown command 'sned'/i, /send/],
    ['an unknown command after an option', ['--as', 'Alice', 'sned'], 2, /unknown command 'sned'/i, /send/],
    ['help for an unknown command', ['help', 'sned'], 2, /Unknown command "sned"/, /agent-relay --help/],
    [
      'an unknown subcommand',
      ['daemon', 'begin'],
      2,
      /unknown command 'begin'/i,
      /agent-relay daemon --help/,
    ],
  ])('%s', async (_what, args, code, message, next) => {
    expectFailure(await relay(...args), code, message, next);
  });

  it('a message that is too large', async () => {
    const result = await daemon.cli(['send', 'Alice', '-'], { input: 'x'.repeat(65 * 1024) });
    expectFailure(result, 2, /65536|64|large|long/i, /file/);
  });

  // On a case-insensitive file system it is found.
  it.skipIf(process.platform === 'darwin')('a project in other letters', async () => {
    const result = await relay('who', '--project', 'DEMO');
    expectFailure(result, 4, /"DEMO" is spelled "demo"/, /that name: demo/);
  });

  it('a directory of no project, while several run', async () => {
    await relay('workspace', 'create', 'beside');
    const result = await daemon.cli(['who'], { cwd: daemon.directory });
    expectFailure(
      result,
      2,
      /several projects are running: .*demo/,
      /daemon start; or choose one: --project/,
    );
  });

  it('is reported to programs as the error payload', async () => {
    const result = await relay('send', 'Nobody', 'x', '--json');
    expect(result).toMatchObject({ code: 4, stderr: '' });
    expect(JSON.parse(result.stdout).error).toMatchObject({
      code: 'AgentNotFound',
      retryable: false,
      next: expect.any(String),
    });
  });

  it('is not stored', async () => {
    await known('Quentin');
    await relay('send', 'Quentin', '', '--as', 'Alice');
    await relay('send', 'Quentin', 'x', '--kind', 'joke', '--as', 'Alice');
    expect(json(await relay('inbox', '--as', 'Quentin', '--all', '--json')).messages).toEqual([]);
  });
});

describe('the command line itself', () => {
  it('shows help without arguments and with --help, exit code 0', async () => {
    const bare = await relay();
    expect(bare).toMatchObject({ code: 0, stderr: '' });
    expect(bare.stdout).toMatch(/^Usage: agent-relay /);
    expect((await relay('--help')).stdout).toBe(bare.stdout);
  });

  it('has help for each command', async () => {
    const listed = (await relay()).stdout.matchAll(/^ {2}(\w+)/gm);
    const commands = [...listed].map(([, name]) => name ?? '').filter((name) => name !== 'help');
    expect(commands.length).toBeGreaterThan(10);
    for (const name of commands) {
      const result = await relay(name, '--help');
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.stdout).toMatch(new RegExp(`^Usage: agent-relay ${name} `));
    }
    expect((await relay('help', 'send')).stdout).toMatch(/^Usage: agent-relay send /);
  });

  it.each([['daemon'], ['workspace'], ['workspace', 'key'], ['channel']])(
    'lists the commands of a group without a command: %s %s',
    async (...words) => {
      const result = await relay(...words);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.stdout).toMatch(
        new RegExp(`^Usage: agent-relay ${words.join(' ')} [\\s\\S]*\nCommands:\n`),
      );
    },
  );

  it('reports that the daemon has another version', async () => {
    await using peer = await ScriptedPeer.start();
    const env = { RELAY_SOCKET: peer.socketPath };
    await using who = daemon.startCli(['who'], { env });
    await peer.welcome({ daemon: { version: '9.9.9', startedAt: 1 } });
    await who.until(
      /note: The daemon is version 9\.9\.9, this command is version \S+\. Restart it with: agent-relay daemon restart\n/,
    );
  });

  it('releases all others when one worker cannot be released', async () => {
    await using peer = await ScriptedPeer.start();
    const released = daemon.cli(['release', '--all'], { env: { RELAY_SOCKET: peer.socketPath } });
    // Whose project it is, to find the token for it.
    await peer.welcome();
    const connection = await peer.welcome();
    const run = { state: 'ready', spawned: true, startedAt: 1, cwd: '/' };
    const names = ['Docs', 'Stuck', 'Gone', 'Theirs', 'Tests'];
    connection.ack(await connection.take('WHO'), { agents: names.map((name) => ({ name, run })) });
    for (const name of names) {
      const request = await connection.take<{ agent: string }>('RELEASE');
      const refusals: Record<string, string> = {
        Stuck: 'Timeout',
        Gone: 'AgentNotFound',
        Theirs: 'Forbidden',
      };
      const code = refusals[name];
      if (code === undefined) connection.ack(request, { name });
      else connection.refuse(request, code);
    }
    expect(await released).toMatchObject({
      code: 1,
      stdout: 'Released Docs.\nStuck was not released: Timeout\nnext: wait\nReleased Tests.\n',
    });
  });

  it('refuses an invalid name once, before it looks for clients', async () => {
    for (const client of ['.claude', '.codex', '.gemini'])
      await mkdir(join(daemon.directory, client), { recursive: true });
    const refused = await relay('mcp', 'install', '--dry-run', '--name', 'a b');
    expectFailure(refused, 2, /cannot contain a space/);
    expect(refused.stderr.match(/error:/g)).toHaveLength(1);
  });

  it('prints its version', async () => {
    expect(await relay('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('ends quietly when its output is closed', async () => {
    await known('Alice');
    for (let round = 0; round < 3; round++) await relay('send', 'Alice', 'x'.repeat(60_000), '--as', 'Bob');
    await using tail = daemon.startCli(['tail', '--since-seq', '0']);
    tail.child.stdout?.once('data', () => tail.child.stdout?.destroy());
    await relay('send', 'Alice', 'one more', '--as', 'Bob');
    expect(await tail.result).toMatchObject({ code: 0, stderr: '' });
  });

  it('uses no colour in a pipe', async () => {
    expect((await relay('who', '--all')).stdout).not.toContain('\u001b');
  });
});
