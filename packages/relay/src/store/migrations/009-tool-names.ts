import type { Migration } from './migration.ts';

/** Tools are looked up by name. */
export const toolNames: Migration = ['CREATE INDEX agent_tools_by_name ON agent_tools (name)'];
