import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestDaemon } from '../../kit/daemon.ts';
import { git } from '../../kit/repository.ts';

/** Appends the id of each host that starts to a file, before anything else: for the environment of the daemon. */
export const noteHosts = (file: string): NodeJS.ProcessEnv => {
  const program = `
    import { appendFileSync } from 'node:fs';
    if (process.argv[2] === 'host') appendFileSync(${JSON.stringify(file)}, process.pid + '\\n');
  `;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
};

export const linesOf = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').filter(Boolean);
  } catch {
    // Nothing was noted yet.
    return [];
  }
};

/** Processes that were started below the daemon, known by their home directory: all but the daemon itself. */
export function processesOf({ directory, pid: own }: TestDaemon): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== own);
  return pids.flatMap((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${directory}`);
      return isOurs ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`] : [];
    } catch {
      // Somebody else's, or gone by now.
      return [];
    }
  });
}

/** The worktrees and branches of the project, and what is in the directories that agents use. */
export function filesOf({ projectDirectory, dataDirectory }: TestDaemon): string[] {
  const list = (name: string) =>
    readdirSync(join(dataDirectory, name), { recursive: true }).map((file) => join(name, String(file)));
  const present = readdirSync(dataDirectory);
  const used = ['runs', 'worktrees', 'tokens'].filter((name) => present.includes(name));
  return [
    ...present.filter((name) => !name.startsWith('relay.db')),
    ...used.flatMap(list),
    ...git(projectDirectory, 'worktree', 'list').split('\n'),
    ...git(projectDirectory, 'for-each-ref', '--format=%(refname)').split('\n'),
    ...git(projectDirectory, 'worktree', 'prune', '--dry-run', '--verbose').split('\n').filter(Boolean),
  ].sort();
}

/** How many entries of these kinds the audit log has, by the agent they are about. */
export function auditedIn({ dataDirectory }: TestDaemon, ...actions: string[]): Map<string, number> {
  const database = new DatabaseSync(`${dataDirectory}/relay.db`, { readOnly: true });
  try {
    const places = actions.map(() => '?').join(', ');
    const sql = `SELECT subject, count(*) AS entries FROM audit WHERE action IN (${places}) GROUP BY subject`;
    return new Map(
      database
        .prepare(sql)
        .all(...actions)
        .map(({ subject, entries }) => [String(subject), Number(entries)]),
    );
  } finally {
    database.close();
  }
}
