import type { Migration } from './migration.ts';

export const firstSchema: Migration = [
  `CREATE TABLE workspaces (
    id {{identity}},
    name {{text}} NOT NULL,
    former_names {{text}} NOT NULL,
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

  // An agent without a workspace wrote to this one from a workspace that is no longer here.
  `CREATE TABLE agents (
    id {{identity}},
    workspace_id bigint REFERENCES workspaces (id),
    name {{text}} NOT NULL,
    skeleton {{text}},
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
  // Names that look alike have the same. An imported agent may have none: its name was taken as it was.
  'CREATE UNIQUE INDEX agents_by_skeleton ON agents (workspace_id, skeleton) WHERE removed_at IS NULL',
  'CREATE INDEX agents_by_former_name ON agents (lower(name), created_at) WHERE removed_at IS NOT NULL',
  'CREATE INDEX agents_by_token ON agents (token_hash)',

  `CREATE TABLE conversations (
    id {{identity}},
    workspace_id bigint NOT NULL REFERENCES workspaces (id),
    kind {{text}} NOT NULL,
    key {{text}} NOT NULL,
    created_at bigint NOT NULL,
    name {{text}},
    topic {{text}},
    created_by {{text}},
    archived_at bigint,
    UNIQUE (workspace_id, key)
  )`,

  // Of channels. Who left keeps a row: what reached it then is still its own, and search must know where to look.
  `CREATE TABLE members (
    conversation_id bigint NOT NULL,
    agent_id bigint NOT NULL,
    joined_at bigint NOT NULL,
    present smallint NOT NULL,
    PRIMARY KEY (conversation_id, agent_id)
  ) {{keyed}}`,
  'CREATE INDEX members_by_agent ON members (agent_id, conversation_id)',

  // Of DMs and groups, as their keys say.
  `CREATE TABLE participants (
    conversation_id bigint NOT NULL,
    agent_id bigint NOT NULL,
    PRIMARY KEY (conversation_id, agent_id)
  ) {{keyed}}`,
  'CREATE INDEX participants_by_agent ON participants (agent_id, conversation_id)',

  // Messages and deliveries have no foreign keys: PostgreSQL spends several times more on checking them than on the
  // rows. For the same reason nothing here is indexed that can be indexed later (see `authored`). New rows stand beside
  // each other wherever it can be, as ids begin with the time: a transaction writes whole pages, and of few messages few.
  `CREATE TABLE messages (
    seq {{identity}},
    id {{text}} NOT NULL UNIQUE,
    workspace_id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    sender_id bigint NOT NULL,
    unverified smallint NOT NULL,
    client_id {{text}} NOT NULL,
    body {{text}} NOT NULL,
    thread {{text}},
    reply_to {{text}},
    kind {{text}} NOT NULL,
    importance {{text}} NOT NULL,
    awaits_reply smallint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    mentions {{text}},
    attachments {{text}},
    redacted_at bigint,
    UNIQUE (client_id, sender_id)
  )`,
  'CREATE INDEX messages_by_conversation ON messages (conversation_id, seq)',
  'CREATE INDEX messages_by_workspace ON messages (workspace_id, seq)',
  'CREATE INDEX messages_by_thread ON messages (workspace_id, thread, seq) WHERE thread IS NOT NULL',
  'CREATE INDEX messages_by_reply ON messages (reply_to, sender_id, seq) WHERE reply_to IS NOT NULL',

  // Sender, conversation and expiry are copied from the message, where they never change: an inbox skips what it
  // leaves out without looking at the messages.
  `CREATE TABLE deliveries (
    recipient_id bigint NOT NULL,
    message_seq bigint NOT NULL,
    sender_id bigint NOT NULL,
    conversation_id bigint NOT NULL,
    expires_at bigint,
    mentioned smallint NOT NULL,
    path {{text}},
    accepted_at bigint,
    injected_at bigint,
    turn_started_at bigint,
    read_at bigint,
    acked_at bigint,
    answers bigint,
    PRIMARY KEY (message_seq, recipient_id)
  ) {{keyed}}`,
  // Expiry and `read_at` (always null here) let SQLite count the unread without looking at the rows. What else an inbox
  // can be narrowed by would be looked at here too, but every message would pay for it.
  'CREATE INDEX deliveries_unread ON deliveries (recipient_id, message_seq, expires_at, read_at) WHERE read_at IS NULL',
  // Of what was read; with the unread it makes up all an agent got.
  'CREATE INDEX deliveries_read ON deliveries (recipient_id, message_seq, read_at) WHERE read_at IS NOT NULL',
  'CREATE INDEX deliveries_by_question ON deliveries (answers, recipient_id) WHERE answers IS NOT NULL',

  `CREATE TABLE reactions (
    message_seq bigint NOT NULL,
    agent_id bigint NOT NULL,
    emoji {{text}} NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (message_seq, agent_id, emoji)
  ) {{keyed}}`,

  // In pieces, so that a part of a file is read without the rest; `position` is where a piece begins.
  `CREATE TABLE contents (
    sha256 {{text}} NOT NULL,
    position bigint NOT NULL,
    piece {{bytes}} NOT NULL,
    PRIMARY KEY (sha256, position)
  )`,
  `CREATE TABLE attachments (
    id {{text}} PRIMARY KEY,
    workspace_id bigint NOT NULL,
    sha256 {{text}} NOT NULL,
    name {{text}} NOT NULL,
    media_type {{text}} NOT NULL,
    size bigint NOT NULL,
    uploaded_by bigint NOT NULL,
    created_at bigint NOT NULL
  )`,
  'CREATE INDEX attachments_by_workspace ON attachments (workspace_id)',
  'CREATE INDEX attachments_by_content ON attachments (sha256)',
  'CREATE INDEX attachments_by_age ON attachments (created_at)',
  `CREATE TABLE message_attachments (
    message_seq bigint NOT NULL,
    attachment_id {{text}} NOT NULL,
    PRIMARY KEY (message_seq, attachment_id)
  ) {{keyed}}`,
  'CREATE INDEX message_attachments_by_attachment ON message_attachments (attachment_id)',

  // Includes settled ones, without their content, so that their outcome can still be queried.
  `CREATE TABLE held (
    id {{text}} PRIMARY KEY,
    workspace_id bigint NOT NULL,
    sender_name {{text}} NOT NULL,
    reason {{text}} NOT NULL,
    held_at bigint NOT NULL,
    draft {{text}} NOT NULL,
    shown {{text}} NOT NULL,
    outcome {{text}},
    settled_by {{text}},
    settled_at bigint
  )`,
  'CREATE INDEX held_by_workspace ON held (workspace_id, held_at) WHERE settled_at IS NULL',
  'CREATE INDEX held_settled ON held (settled_at) WHERE settled_at IS NOT NULL',

  `CREATE TABLE grants (
    agent_id bigint NOT NULL,
    workspace_id bigint NOT NULL,
    PRIMARY KEY (agent_id, workspace_id)
  ) {{keyed}}`,

  // What follows is filled after the messages are stored, so that sending does not pay for it: `indexed` says how far.
  'CREATE TABLE indexed (seq bigint NOT NULL)',
  'INSERT INTO indexed (seq) VALUES (0)',
  {
    sqlite: `CREATE VIRTUAL TABLE search USING fts5 (words, scope, content = '',
      tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'")`,
    postgres: 'CREATE TABLE search (message_seq bigint PRIMARY KEY, words tsvector NOT NULL)',
  },
  {
    // A word that is taken out of the index leaves its pages at once; one that is put in is found as fast as all others.
    sqlite: "INSERT INTO search (search, rank) VALUES ('secure-delete', 1)",
    postgres: 'CREATE INDEX search_by_word ON search USING gin (words) WITH (fastupdate = off)',
  },
  `CREATE TABLE authored (
    sender_id bigint NOT NULL,
    workspace_id bigint NOT NULL,
    message_seq bigint NOT NULL,
    PRIMARY KEY (sender_id, workspace_id, message_seq)
  ) {{keyed}}`,
  // Messages come nearly in order of time, but clocks differ and imports are old: each period says of a run of
  // messages between which times they were made, so that a question about time looks at few runs.
  `CREATE TABLE periods (
    first_seq bigint PRIMARY KEY,
    last_seq bigint NOT NULL,
    oldest bigint NOT NULL,
    newest bigint NOT NULL
  )`,

  // Without a reference: it outlives the workspaces.
  `CREATE TABLE audit (
    seq {{identity}},
    workspace_id bigint NOT NULL,
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
