import type { Migration } from './migration.ts';

/** The directory name of a project: its first name, so that a rename moves nothing. */
export const projectDirectories: Migration = [
  'ALTER TABLE workspaces ADD COLUMN directory {{text}}',
  'UPDATE workspaces SET directory = name',
  'CREATE UNIQUE INDEX workspaces_by_directory ON workspaces (lower(directory))',
];
