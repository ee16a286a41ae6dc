import type { Migration } from './migration.ts';

/** Whoever looks for a tool names it. */
export const toolNames: Migration = ['CREATE INDEX agent_tools_by_name ON agent_tools (name)'];
