import type { Migration } from './migration.ts';

/** Programs that run as agents in terminals of the relay. */
export const runs: Migration = [
  `CREATE TABLE runs (
    id {{text}} PRIMARY KEY,
    workspace_id bigint NOT NULL,
    agent_id bigint NOT NULL,
    spawned smallint NOT NULL,
    parent_id bigint,
    account {{text}},
    cli {{text}} NOT NULL,
    model {{text}},
    args {{text}} NOT NULL,
    cwd {{text}} NOT NULL,
    version {{text}},
    session {{text}},
    host {{text}},
    program {{text}},
    started_at bigint NOT NULL,
    ready_at bigint,
    ended_at bigint,
    exit_status {{text}},
    ended {{text}},
    result {{text}}
  )`,
  'CREATE INDEX runs_by_agent ON runs (agent_id, started_at)',
  'CREATE INDEX runs_by_end ON runs (ended_at)',
];
