import { RelayError } from '@agent-relay/protocol';
import { isMarkOf } from '../key-mark.ts';

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

/**
 * What is wrong if a daemon runs that was not started with these flags, or not with this key for MCP over HTTP, wherever
 * the key is set: it goes on as it is.
 */
export function missedFlags(wanted: Wanted, running: Running): RelayError | undefined {
  const has = new Set(Object.entries(running.flags).map((entry) => JSON.stringify(entry)));
  const missed = Object.entries(wanted.flags).filter((entry) => !has.has(JSON.stringify(entry)));
  const words = flagWords(Object.fromEntries(missed));
  const key = missedKey(wanted.mcp, running);
  if (words.length === 0 && key === undefined) return undefined;
  const without = [...(words.length > 0 ? [`without ${words.join(' ')}`] : []), ...(key ? [key] : [])];
  const restart = ['agent-relay daemon restart', ...words].join(' ');
  return new RelayError(
    'DaemonRunning',
    `The daemon runs already, and was started ${without.join(' and ')}.`,
    {
      next: key
        ? `Set the key in RELAY_MCP_API_KEY and start it again with: ${restart}`
        : `Start it again with: ${restart}`,
    },
  );
}

interface Wanted {
  flags: StartFlags;
  mcp: { http: boolean; apiKey?: string | undefined };
}

interface Running {
  flags: StartFlags;
  mcp?: string;
  mcpKeyMark?: string;
}

function missedKey({ http, apiKey }: Wanted['mcp'], { mcp, mcpKeyMark }: Running): string | undefined {
  if (apiKey === undefined || (!http && mcp === undefined)) return undefined;
  if (mcpKeyMark === undefined) return 'without a key for MCP over HTTP';
  return isMarkOf(mcpKeyMark, apiKey) ? undefined : 'with another key for MCP over HTTP';
}
