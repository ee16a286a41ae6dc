import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';

/** The state after a daemon was killed right after the renames were stored. */
async function killAfter(daemon: TestDaemon, ...statements: string[]): Promise<void> {
  await daemon.kill9();
  const database = new DatabaseSync(`${daemon.dataDirectory}/relay.db`);
  for (const statement of statements) database.exec(statement);
  database.close();
}

const renameProject = (before: string, name: string) =>
  `UPDATE workspaces SET name = '${name}', former_names = '["${before}"]' WHERE name = '${before}'`;
const renameAgent = (before: string, name: string) =>
  `UPDATE agents SET name = '${name}', skeleton = NULL WHERE name = '${before}'`;

it('finishes a rename at the next start that a crash interrupted', async () => {
  await using daemon = await startDaemon();
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await daemon.cli(args);
    return { code, text: stdout + stderr };
  };
  expect(await run('inbox', '--as', 'Bob')).toMatchObject({ code: 0 });
  expect(await run('send', 'Bob', 'from before', '--as', 'Alice')).toMatchObject({ code: 0 });
  const { socketPath } = daemon;
  await killAfter(daemon, renameProject('demo', 'shop'), renameAgent('Bob', 'Robert'));
  await daemon.start();
  expect(daemon).toMatchObject({ project: 'shop', socketPath });
  const { text } = await run('workspace', 'list', '--json');
  expect(JSON.parse(text)).toMatchObject([{ name: 'shop' }]);
  expect(await run('who', '--project', 'demo')).toMatchObject({
    code: 4,
    text: expect.stringContaining('was renamed to "shop"'),
  });
  expect(await run('inbox', '--as', 'Bob')).toMatchObject({
    code: 5,
    text: expect.stringContaining('belongs to "Robert"'),
  });
  for (const project of [[], ['--project', 'shop']])
    expect(await run('inbox', '--peek', '--as', 'Robert', ...project)).toMatchObject({
      code: 0,
      text: expect.stringContaining('from before'),
    });
  // The old names are free for others now.
  expect(await run('inbox', '--as', 'Bob')).toEqual({ code: 0, text: 'No messages in inbox.\n' });
  expect(await run('workspace', 'create', 'demo')).toMatchObject({ code: 0 });
  expect(await run('inbox', '--as', 'Bob', '--project', 'demo')).toMatchObject({ code: 0 });
  expect(await run('status')).toMatchObject({ text: expect.stringMatching(/project +shop \(from /) });
});
