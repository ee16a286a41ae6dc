import { RelayError } from '@agent-relay/protocol';
import { type Dialect, inDialect } from '../dialects.ts';
import { rows, type Script } from '../scripts/script.ts';
import { firstSchema } from './001-first-schema.ts';
import { agentHolders } from './002-agent-holders.ts';
import { projectDirectories } from './003-project-directories.ts';
import { deliveryClaims } from './004-delivery-claims.ts';
import { agentHandles } from './005-agent-handles.ts';
import { quotas } from './006-quotas.ts';
import { pageSessions } from './007-page-sessions.ts';
import { runs } from './008-runs.ts';
import { toolNames } from './009-tool-names.ts';
import { invocations } from './010-invocations.ts';
import { worktrees } from './011-worktrees.ts';
import { agentGrants } from './012-agent-grants.ts';
import { invocationAccounts } from './013-invocation-accounts.ts';
import { attention } from './014-attention.ts';
import { runChoices } from './015-run-choices.ts';
import { runRequests } from './016-run-requests.ts';
import { messageCounts } from './017-message-counts.ts';
import type { Migration } from './migration.ts';

/** The version of a database is how many of these it has; released migrations never change. */
export const MIGRATIONS: readonly Migration[] = [
  firstSchema,
  agentHolders,
  projectDirectories,
  deliveryClaims,
  agentHandles,
  quotas,
  pageSessions,
  runs,
  toolNames,
  invocations,
  worktrees,
  agentGrants,
  invocationAccounts,
  attention,
  runChoices,
  runRequests,
  messageCounts,
];

/** Migrates a database to `target`; runs in one exclusive transaction. */
export function* migrate(dialect: Dialect, target = MIGRATIONS.length): Script<void> {
  yield* rows('CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)');
  const [row] = yield* rows<{ version: number | null }>('SELECT max(version) AS version FROM schema_version');
  const present = row?.version ?? 0;
  if (present > MIGRATIONS.length) {
    throw new RelayError(
      'DatabaseUnusable',
      `The database has schema version ${present}; this version supports up to ${MIGRATIONS.length}.`,
      { next: 'Update agent-relay: a newer version has used this database.' },
    );
  }
  for (let version = present; version < target; version++) {
    for (const statement of MIGRATIONS[version] ?? []) {
      const sql = typeof statement === 'string' ? statement : statement[dialect.name];
      yield* rows(inDialect(sql, dialect));
    }
    yield* rows('INSERT INTO schema_version (version) VALUES (?)', [version + 1]);
  }
}
