import type { Migration } from './migration.ts';

/**
 * Who took a delivery to put it into its agent's context, whether that path could not confirm the delivery, and by
 * which path it was read. What was injected is no longer unread.
 */
export const deliveryClaims: Migration = [
  'ALTER TABLE deliveries ADD COLUMN claimed_by {{text}}',
  'ALTER TABLE deliveries ADD COLUMN uncertain_at bigint',
  'ALTER TABLE deliveries ADD COLUMN read_path {{text}}',
  'DROP INDEX deliveries_unread',
  'DROP INDEX deliveries_read',
  // Columns that are always null here let SQLite count the unread without looking at the rows.
  `CREATE INDEX deliveries_unread ON deliveries (recipient_id, message_seq, expires_at, claimed_by, read_at, injected_at)
   WHERE read_at IS NULL AND injected_at IS NULL`,
  // With the unread it makes up all an agent got.
  `CREATE INDEX deliveries_read ON deliveries (recipient_id, message_seq, read_at, injected_at)
   WHERE (read_at IS NOT NULL OR injected_at IS NOT NULL)`,
];
