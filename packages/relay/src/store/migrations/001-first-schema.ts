import type { Migration } from './migration.ts';

export const firstSchema: Migration = [
  `CREATE TABLE workspaces (
    id {{identity}},
    name {{text}} NOT NULL,
    root {{text}},
    created_at bigint NOT NULL
  )`,
  'CREATE UNIQUE INDEX workspaces_by_name ON workspaces (lower(name))',

  `CREATE TABLE workspace_keys (
    id {{text}} PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces (id),
    hash {{text}} NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
  )`,
  'CREATE INDEX workspace_keys_by_workspace ON workspace_keys (workspace_id)',

  `CREATE TABLE agents (
    id {{identity}},
    workspace_id bigint NOT NULL REFERENCES workspaces (id),
    name {{text}} NOT NULL,
    type {{text}} NOT NULL,
    is_lead smallint NOT NULL,
    ephemeral smallint NOT NULL,
    cli {{text}},
    task {{text}},
    parent {{text}},
    capabilities {{text}} NOT NULL,
    tools {{text}} NOT NULL,
    mcp_enabled smallint NOT NULL,
    token_hash {{text}} NOT NULL,
    created_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    removed_at bigint
  )`,
  'CREATE UNIQUE INDEX agents_by_name ON agents (workspace_id, lower(name)) WHERE removed_at IS NULL',
  'CREATE INDEX agents_by_token ON agents (token_hash)',

  `CREATE TABLE conversations (
    id {{identity}},
    workspace_id bigint NOT NULL REFERENCES workspaces (id),
    kind {{text}} NOT NULL,
    key {{text}} NOT NULL,
    created_at bigint NOT NULL,
    UNIQUE (workspace_id, key)
  )`,

  // Messages and deliveries have no foreign keys: what they name is never deleted, and PostgreSQL spends several times
  // more on checking them than on the rows.
  `CREATE TABLE messages (
    seq {{identity}},
    id {{text}} NOT NULL UNIQUE,
    workspace_id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    sender_id bigint NOT NULL,
    client_id {{text}} NOT NULL,
    body {{text}} NOT NULL,
    thread {{text}},
    reply_to {{text}},
    kind {{text}} NOT NULL,
    importance {{text}} NOT NULL,
    awaits_reply smallint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    UNIQUE (sender_id, client_id)
  )`,
  'CREATE INDEX messages_by_conversation ON messages (conversation_id, seq)',
  'CREATE INDEX messages_by_workspace ON messages (workspace_id, seq)',
  'CREATE INDEX messages_by_thread ON messages (thread, sender_id, seq) WHERE thread IS NOT NULL',
  'CREATE INDEX messages_by_reply ON messages (reply_to, sender_id, seq) WHERE reply_to IS NOT NULL',

  // Sender, conversation and expiry are copied from the message, which never changes: an inbox skips what it
  // leaves out without looking at the messages.
  `CREATE TABLE deliveries (
    recipient_id bigint NOT NULL,
    message_seq bigint NOT NULL,
    sender_id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    expires_at bigint,
    path {{text}},
    accepted_at bigint,
    injected_at bigint,
    turn_started_at bigint,
    read_at bigint,
    acked_at bigint,
    PRIMARY KEY (recipient_id, message_seq)
  ) {{keyed}}`,
  // Expiry and `read_at` (always null here) let SQLite count the unread without looking at the rows.
  'CREATE INDEX deliveries_unread ON deliveries (recipient_id, message_seq, expires_at, read_at) WHERE read_at IS NULL',
  'CREATE INDEX deliveries_by_message ON deliveries (message_seq)',

  `CREATE TABLE audit (
    seq {{identity}},
    workspace_id bigint NOT NULL REFERENCES workspaces (id),
    at bigint NOT NULL,
    actor {{text}} NOT NULL,
    action {{text}} NOT NULL,
    subject {{text}} NOT NULL,
    detail {{text}}
  )`,
  'CREATE INDEX audit_by_workspace ON audit (workspace_id, seq)',
  {
    sqlite: `CREATE TRIGGER audit_is_never_updated BEFORE UPDATE ON audit
      BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END`,
    postgres: `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'audit is append-only'; END $$`,
  },
  {
    sqlite: `CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
      BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END`,
    postgres: `CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
  },
];
