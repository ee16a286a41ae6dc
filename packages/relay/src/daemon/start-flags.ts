import { RelayError } from '@agent-relay/protocol';

/** The flags that may be written down, for a restart: none is a secret. */
export interface StartFlags {
  database?: string;
  port?: string;
  /** The port, or only that MCP is to be served over HTTP. */
  mcpHttp?: string | true;
  mcpServers?: string[];
}

/** What of the flags is kept for a restart, which may be run elsewhere: paths are given as they were located. */
export const startFlags = (
  { database, port, mcpHttp, mcpServers }: StartFlags,
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

/** What is wrong if a daemon runs that was not started with these flags: it goes on as it is. */
export function missedFlags(wanted: StartFlags, running: { flags: StartFlags }): RelayError | undefined {
  const has = new Set(Object.entries(running.flags).map((entry) => JSON.stringify(entry)));
  const missed = Object.entries(wanted).filter((entry) => !has.has(JSON.stringify(entry)));
  if (missed.length === 0) return undefined;
  const words = flagWords(Object.fromEntries(missed)).join(' ');
  return new RelayError('DaemonRunning', `The daemon runs already, and was started without ${words}.`, {
    next: `Start it again with: agent-relay daemon restart ${words}`,
  });
}
