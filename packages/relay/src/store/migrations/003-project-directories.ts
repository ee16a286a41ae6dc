import type { Migration } from './migration.ts';

/** What the directory of a project is called: as the project was at first, so that a rename moves nothing. */
export const projectDirectories: Migration = [
  'ALTER TABLE workspaces ADD COLUMN directory {{text}}',
  'UPDATE workspaces SET directory = name',
  'CREATE UNIQUE INDEX workspaces_by_directory ON workspaces (lower(directory))',
];
