import { RelayError } from '@agent-relay/protocol';
import type { Environment } from '@agent-relay/sdk/node';
import { isMarkOf } from '../key-mark.ts';
import { isPath, locate } from './locate.ts';
import { FLAGS, longOf, ROWS, type StartFlags } from './table.ts';

/** The flags to keep for a restart, which may run in another directory: paths are made absolute. */
export function keptFlags(flags: StartFlags, env: Environment): StartFlags {
  const kept: StartFlags = {};
  for (const { flag, form } of ROWS.map(({ setting }) => setting)) {
    const given = flag?.kept && flags[flag.name];
    if (given) kept[flag.name] = isPath(form) ? locate(given, form, process.cwd(), env) : given;
  }
  return kept;
}

/** The flags as words of a command line. */
export const flagWords = (flags: StartFlags): string[] =>
  [...FLAGS].flatMap((flag) => {
    const value = flags[flag.name] ?? [];
    if (value === true) return [longOf(flag)];
    return [value].flat().flatMap((argument) => [longOf(flag), argument]);
  });

/**
 * The error if a running daemon was not started with these flags, or not with this key for MCP over HTTP, wherever
 * the key is set; the daemon keeps running unchanged.
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
    `The daemon is already running, and was started ${without.join(' and ')}.`,
    {
      next: key
        ? `Set the key in RELAY_MCP_API_KEY and restart it with: ${restart}`
        : `Restart it with: ${restart}`,
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
  if (mcpKeyMark === undefined) return 'without an MCP API key';
  return isMarkOf(mcpKeyMark, apiKey) ? undefined : 'with a different MCP API key';
}
