import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { commit, git, newRepository } from '../../kit/repository.ts';
import { SCRIPTED_CLI } from '../../kit/scripted-cli.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ settings: { clis: SCRIPTED_CLI } });
  await newRepository(daemon.projectDirectory);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const kept = (...words: string[]) => daemon.cli(['kept', ...words]);
const listed = async () => JSON.parse((await kept('list', '--json')).stdout);

/** Releases a worker that made a commit for each subject, and dropped it; resolves with the ids. */
async function releaseWith(name: string, ...subjects: string[]): Promise<string[]> {
  expect((await daemon.cli(['spawn', name, 'scripted', '--worktree'])).code).toBe(0);
  const agents = JSON.parse((await daemon.cli(['who', '--json'])).stdout);
  const { path } = agents.find((agent: { name: string }) => agent.name === name).run.worktree;
  const ids = subjects.map((subject) => {
    const id = commit(path, subject, { [`${subject}.txt`]: subject });
    git(path, 'reset', '--quiet', '--hard', 'HEAD~1');
    return id;
  });
  const count = `${ids.length} commit${ids.length === 1 ? '' : 's'}`;
  expect((await daemon.cli(['release', name])).stdout).toBe(
    `Released ${name}.\nKept ${count} that no branch has. See: agent-relay kept list\n`,
  );
  return ids;
}

it('lists commits that a released worker had dropped, and makes a branch of one', async () => {
  expect((await kept('list')).stdout).toBe('No kept commits in this repository.\n');
  const [id = ''] = await releaseWith('Parser', 'table');
  const [one, ...others] = await listed();
  expect(others).toEqual([]);
  expect(one).toMatchObject({ commit: id, subject: 'table', agent: 'Parser', run: expect.any(String) });
  expect(one.expiresAt - one.keptAt).toBe(30 * 86_400_000);
  expect((await kept('list')).stdout).toMatch(
    new RegExp(`^${id.slice(0, 7)}  Parser  table  kept .*until 2`),
  );
  const restored = await kept('restore', id.slice(0, 7));
  expect(restored.stdout).toContain(`is the branch kept/Parser-${id.slice(0, 7)} now.`);
  expect(git(daemon.projectDirectory, 'rev-parse', `kept/Parser-${id.slice(0, 7)}`)).toBe(id);
  expect(await listed()).toEqual([]);
});

it('restores to a branch of a chosen name, drops others, and completes their ids', async () => {
  const [one = '', two = '', three = ''] = await releaseWith('Tests', 'one', 'two', 'three');
  const refused = await kept('restore', one, '--branch', 'main');
  expect([refused.code, refused.stderr]).toEqual([
    2,
    'error: The branch main already exists.\nnext: Choose another name: --branch NAME\n',
  ]);
  expect((await kept('restore', one, '--branch', 'a..b')).stderr).toContain('cannot be the name of a branch');
  expect((await kept('restore', one, '--branch', 'first')).code).toBe(0);
  expect(git(daemon.projectDirectory, 'rev-parse', 'first')).toBe(one);
  const complete = ['completion', 'bash', '--complete', '--', 'kept', 'drop', two.slice(0, 5)];
  expect((await daemon.cli(complete)).stdout).toBe(`${two.slice(0, 7)}\n`);
  expect((await kept('drop', two.slice(0, 7))).stdout).toBe('Dropped 1 commit.\n');
  expect((await listed()).map(({ commit: id }: { commit: string }) => id)).toEqual([three]);
  expect(JSON.parse((await kept('drop', '--all', '--json')).stdout)).toEqual({ dropped: 1 });
  expect((await kept('drop', three)).code).toBe(4);
  expect((await kept('drop')).code).toBe(2);
});

it('says that it needs a repository', async () => {
  const place = mkdtempSync(`${tmpdir()}/relay-kept-`);
  try {
    const { code, stderr } = await daemon.cli(['kept', 'list'], { cwd: place });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not in a git repository.\nnext: Run')]);
  } finally {
    rmSync(place, { recursive: true });
  }
});
