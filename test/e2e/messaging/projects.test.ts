import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client, known } from './commands.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
  await known(daemon, 'Alice');
  output(await relay('workspace', 'create', 'other'));
  output(await elsewhere('inbox', '--as', 'Bob'));
});
afterAll(() => daemon[Symbol.asyncDispose]());

const relay = (...args: string[]) => daemon.cli(args);
const elsewhere = (...args: string[]) => daemon.cli([...args, '--project', 'other']);

describe('a project that the daemon does not know', () => {
  it.each([['who'], ['tail'], ['send', 'Alice', 'x', '--as', 'Bob']])(
    'is reported as such, not as a missing daemon: %s',
    async (...args) => {
      const unknown = [
        4,
        /This daemon has no project "dmeo"\. Did you mean demo\?/,
        /workspace list/,
      ] as const;
      expectFailure(await relay(...args, '--project', 'dmeo'), ...unknown);
      expectFailure(await daemon.cli(args, { env: { RELAY_PROJECT: 'dmeo' } }), ...unknown);
    },
  );

  it('is not reported while no daemon runs', async () => {
    await using sandbox = await createSandbox();
    expectFailure(await sandbox.cli(['who', '--project', 'dmeo']), 3, /No daemon/, /daemon start/);
  });
});

describe('a directory that is in no project, while several run', () => {
  it('is refused with how to open it or choose one', async () => {
    expectFailure(
      await daemon.cli(['who'], { cwd: daemon.directory }),
      2,
      /is not in a project yet, and several projects are running: demo, other\./,
      /Open this directory as a project with: agent-relay daemon start; or choose one: --project demo/,
    );
  });

  it.each([
    ['any directory', {}],
    ['RELAY_PROJECT that names nothing', { RELAY_PROJECT: 'ghost' }],
  ])('still creates, lists, renames and removes workspaces: %s', async (_where, env) => {
    const anywhere = (...args: string[]) =>
      daemon.cli(['workspace', ...args], { cwd: daemon.directory, env });
    const names = async () => json(await anywhere('list', '--json')).map((one: { name: string }) => one.name);
    output(await anywhere('create', 'lab'));
    output(await anywhere('rename', 'lab', 'attic'));
    expect(await names()).toEqual(expect.arrayContaining(['demo', 'other', 'attic']));
    output(await anywhere('remove', 'attic', '--yes'));
    expect(await names()).not.toContain('attic');
  });

  it('reports that no daemon is running', async () => {
    await using sandbox = await createSandbox();
    const refused = [3, /No daemon is running for this user/, /agent-relay daemon start/] as const;
    for (const words of [['create', 'lab'], ['list']])
      expectFailure(await sandbox.cli(['workspace', ...words]), ...refused);
  });
});

describe('a git worktree', () => {
  it('is in the project of its repository', async () => {
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: daemon.projectDirectory,
      });
    await git('init', '-q');
    await git('commit', '-q', '--allow-empty', '-m', 'first');
    const cwd = join(daemon.directory, 'demo-fix');
    await git('worktree', 'add', '-q', cwd);
    expect(json(await daemon.cli(['status', '--json'], { cwd }))).toMatchObject({ project: 'demo' });
    expect(output(await daemon.cli(['daemon', 'start'], { cwd }))).toMatch(/project +demo\n/);
    expect(existsSync(join(cwd, '.relay'))).toBe(false);
  });
});

describe('a message to another project', () => {
  it('is possible for everyone on this machine, shows its origin, and can be answered', async () => {
    const { messageId } = json(await relay('send', 'other:Bob', 'are you there?', '--as', 'Alice', '--json'));
    expect(output(await elsewhere('inbox', '--as', 'Bob'))).toMatch(
      /^demo:Alice → Bob .*\n {2}are you there\?\n$/,
    );
    output(await elsewhere('send', '--reply-to', messageId, 'I am', '--as', 'Bob'));
    expect(output(await relay('inbox', '--as', 'Alice'))).toMatch(/^other:Bob → Alice .*\n {2}I am\n$/);
    output(await relay('send', 'other:#general', 'to all of you', '--as', 'Alice'));
    output(await relay('send', 'other:lead', 'to the first', '--as', 'Alice'));
    output(await relay('send', 'other:*', 'everybody', '--as', 'Alice'));
    const { messages } = json(await elsewhere('inbox', '--as', 'Bob', '--json'));
    expect(messages).toMatchObject([
      { to: '#general', fromProject: 'demo' },
      { to: 'Bob', fromProject: 'demo' },
      { to: '*', fromProject: 'demo' },
    ]);
    // The sender can find its message, but nobody else in its project can.
    expect(output(await relay('thread', messageId, '--as', 'Alice'))).toMatch(
      /^Alice → other:Bob .*\n {2}are you there\?\nother:Bob → Alice .*\n {2}I am\n$/,
    );
    const own = json(await relay('history', '--as', 'Alice', '--json'));
    expect(own.messages.map(({ to }: { to: string }) => to)).toEqual([
      'other:Bob',
      'Alice',
      'other:#general',
      'other:Bob',
      'other:*',
    ]);
    expect(output(await relay('history', '--as', 'Carol'))).not.toContain('are you there?');
    expect(output(await relay('history'))).not.toContain('are you there?');
  });

  it.each<[what: string, to: string, code: number, message: RegExp, next?: RegExp]>([
    ['an unknown project', 'othr:Bob', 4, /othr/, /workspace list/],
    ['an unknown agent there', 'other:Alice', 4, /Alice/],
    ['an unknown channel there', 'other:#nowhere', 4, /nowhere/],
    ['one agent of every project', '*:Bob', 2, /only \*:\* can address every project/],
  ])('to %s is refused', async (_what, to, code, message, next) => {
    expectFailure(await relay('send', to, 'x', '--as', 'Alice'), code, message, next);
  });

  it('from a client with a key needs a grant', async () => {
    const { key } = json(await relay('workspace', 'key', 'create', '--json'));
    const url = `ws://${daemon.http}/ws`;
    await using rupert = await client(daemon, { url, workspaceKey: key, name: 'Rupert' });
    await expect(rupert.send('other:Bob', 'let me in')).rejects.toMatchObject({
      code: 'Forbidden',
      next: expect.stringContaining('agent-relay workspace grant Rupert other'),
    });
    await expect(rupert.agents.grant('Rupert', 'other')).rejects.toMatchObject({ code: 'Forbidden' });
    expect(output(await relay('workspace', 'grant', 'Rupert', 'other'))).toBe(
      'Rupert can now write to other.\n',
    );
    expect(await rupert.send('other:Bob', 'thank you')).toMatchObject({ recipients: 1 });
    await expect(rupert.who({ project: 'other' })).rejects.toMatchObject({ code: 'Forbidden' });
    expect(output(await relay('workspace', 'grant', 'Rupert', 'other', '--undo'))).toBe(
      'Rupert can no longer write to other.\n',
    );
    await expect(rupert.send('other:Bob', 'again')).rejects.toMatchObject({ code: 'Forbidden' });
    expectFailure(await relay('workspace', 'grant', 'Nobody', 'other'), 4, /Nobody/);
    expectFailure(await relay('workspace', 'grant', 'Rupert', 'nowhere'), 4, /nowhere/);
  });

  it('to every project is allowed for people and leads', async () => {
    expectFailure(await relay('send', '*:*', 'x', '--as', 'Alice'), 5, /people and leads/);
    output(await relay('send', '*:*', 'from a person'));
    await using lead = await client(daemon, { name: 'Lea', lead: true });
    await lead.send('*:*', 'from the lead');
    for (const [project, name] of [
      ['other', 'Bob'],
      ['demo', 'Alice'],
    ] as const) {
      const { messages } = json(
        await daemon.cli(['inbox', '--as', name, '--project', project, '--limit', '99', '--json']),
      );
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(
        expect.arrayContaining(['from a person', 'from the lead']),
      );
    }
  });
});

describe('presence', () => {
  it('shows the status, task, program, parent and times of each agent, also of other projects', async () => {
    await using bob = await client(daemon, {
      project: 'other',
      socketPath: json(await elsewhere('status', '--json')).socketPath,
      name: 'Bob',
      cli: 'codex',
      task: 'the parser',
      parent: 'Alice',
    });
    await using alice = await client(daemon, { name: 'Alice' });
    const [seen] = await alice.who({ project: 'other' });
    expect(seen).toMatchObject({
      name: bob.name,
      status: 'active',
      project: 'other',
      cli: 'codex',
      task: 'the parser',
      parent: 'Alice',
      connectedAt: expect.any(Number),
      lastActivityAt: expect.any(Number),
    });
    // Each in its own column: the unread messages, the program, and what it does.
    const listed = output(await elsewhere('who'));
    expect(listed).toMatch(/^Bob +active +\d+ +codex +\S+ +\S+ +worker of Alice, the parser *$/m);
  });
});
