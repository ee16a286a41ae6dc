import type { SettingsFlags } from './settings.ts';

/** The flags a daemon was started with, as they mean the same from any directory; none is a secret. */
export type StartFlags = Pick<SettingsFlags, 'database' | 'port' | 'mcpHttp' | 'mcpServers'>;

/** What of the flags is kept for a restart; their paths are given as they were located. */
export const startFlags = (
  { database, port, mcpHttp, mcpServers }: SettingsFlags,
  located: { database: string; mcpServers: string[] },
): StartFlags => ({
  ...(database === undefined ? {} : { database: located.database }),
  ...(port === undefined ? {} : { port }),
  ...(mcpHttp === undefined ? {} : { mcpHttp }),
  ...(mcpServers === undefined ? {} : { mcpServers: located.mcpServers }),
});

/** The flags as words of a command line. */
export const flagWords = ({ database, port, mcpHttp, mcpServers = [] }: StartFlags): string[] => [
  ...(database === undefined ? [] : ['--database', database]),
  ...(port === undefined ? [] : ['--port', port]),
  ...(mcpHttp === undefined ? [] : ['--mcp-http', ...(mcpHttp === true ? [] : [mcpHttp])]),
  ...mcpServers.flatMap((file) => ['--mcp-servers', file]),
];
