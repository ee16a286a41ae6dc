import { resolve } from 'node:path';
import { z } from 'zod';
import type { OpenCustomChannel } from '../backend/transports/transport.ts';
import { type Secret, secretsOf, shownAddress } from './address.ts';
import { expandVariables } from './variables.ts';

/** A program that speaks MCP on its standard input and output. */
export interface StdioEndpoint {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}

/** `auto` is an http(s) URL: Streamable HTTP first, then the older SSE. */
export interface RemoteEndpoint {
  kind: 'ws' | 'http' | 'sse' | 'auto';
  url: string;
  headers: Record<string, string>;
  subprotocol?: string;
}

/** Reached by a function. Not available in configuration files. */
export interface CustomEndpoint {
  kind: 'custom';
  open: OpenCustomChannel;
}

/** How to reach a backend. */
export type Endpoint = StdioEndpoint | RemoteEndpoint | CustomEndpoint;

/** One backend with defaults applied and variables expanded. */
export interface BackendConfig {
  name: string;
  endpoint: Endpoint;
  /** Shown to clients: the URL as written, credentials masked, or the command without arguments. */
  address: string;
  /** Must not appear in any message. */
  secrets: Secret[];
  /** Prepended to every tool and prompt name. */
  prefix: string;
  allow: string[];
  deny: string[];
  timeoutMs: number;
  /** Limit of its notifications. */
  notificationsPerSecond: number;
  lazy: boolean;
  idleStopMs: number;
  pin: 'off' | 'warn' | 'strict';
  scope: 'shared' | 'session';
}

const strings = z.record(z.string(), z.string());
const fields = {
  url: z.url({ protocol: /^(wss?|https?)$/, error: 'must be a ws, wss, http or https URL' }).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: strings.optional(),
  cwd: z.string().optional(),
  headers: strings.optional(),
  subprotocol: z.string().optional(),
  type: z.enum(['stdio', 'ws', 'http', 'sse', 'streamable-http']).optional(),
  enabled: z.boolean().optional(),
  prefix: z.union([z.string().regex(/^[A-Za-z0-9_-]{0,32}$/), z.boolean()]).optional(),
  allow: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
  timeout: z.number().positive().max(86_400).optional(),
  notificationsPerSecond: z.number().min(1).max(1_000_000).optional(),
  lazy: z.boolean().optional(),
  idleStop: z.number().positive().optional(),
  pin: z.enum(['off', 'warn', 'strict']).optional(),
  scope: z.enum(['shared', 'session']).optional(),
};

export const backendName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    'must be letters, digits, "_", "-" or ".", starting with a letter or digit, 64 at most',
  );

const reachable = (entry: { url?: string | undefined; command?: string | undefined }) =>
  (entry.url === undefined) !== (entry.command === undefined);
const oneOf = { error: 'needs either "url" or "command"' };

/** An entry of `backends` or `servers`. This is our own format, so unknown settings are errors. */
export const listedBackend = z.strictObject({ name: backendName, ...fields }).refine(reachable, oneOf);

/** An entry of an editor's `mcpServers` map. Editors add their own settings, which are ignored. */
export const editorBackend = z
  .object({ ...fields, disabled: z.boolean().optional() })
  .refine(reachable, oneOf);

export type ListedBackend = z.infer<typeof listedBackend>;

export const isEnabled = (entry: ListedBackend): boolean => entry.enabled !== false;

/**
 * Expands the variables of an entry and applies defaults. A relative `cwd` is resolved against `directory`. `missing`
 * lists the variables that are not set.
 */
export function toBackendConfig(
  written: ListedBackend,
  env: NodeJS.ProcessEnv,
  directory: string | undefined,
): { config: BackendConfig; missing: string[] } {
  const variables = new Map<string, string | undefined>();
  const entry = expandVariables(written, env, variables);
  const missing = [...variables].flatMap(([name, value]) => (value === undefined ? [name] : []));
  const address = written.url === undefined ? (written.command ?? '') : shownAddress(written.url);
  const config: BackendConfig = {
    name: entry.name,
    endpoint: toEndpoint(entry, directory),
    address,
    secrets: secretsOf({ url: entry.url, address }, variables),
    prefix: entry.prefix === true ? `${entry.name.replaceAll('.', '_')}_` : entry.prefix || '',
    allow: entry.allow ?? [],
    deny: entry.deny ?? [],
    timeoutMs: (entry.timeout ?? 900) * 1000,
    notificationsPerSecond: entry.notificationsPerSecond ?? 100,
    lazy: entry.lazy ?? false,
    idleStopMs: (entry.idleStop ?? 0) * 1000,
    pin: entry.pin ?? 'warn',
    scope: entry.scope ?? 'shared',
  };
  return { config, missing };
}

function toEndpoint(entry: ListedBackend, directory: string | undefined): StdioEndpoint | RemoteEndpoint {
  if (entry.url === undefined) {
    const cwd = directory === undefined ? entry.cwd : resolve(directory, entry.cwd ?? '');
    return {
      kind: 'stdio',
      command: entry.command ?? '',
      args: entry.args ?? [],
      env: entry.env ?? {},
      ...(cwd === undefined ? {} : { cwd }),
    };
  }
  const asked = entry.type === 'streamable-http' ? 'http' : entry.type;
  const kind = /^wss?:/i.test(entry.url) ? 'ws' : asked === 'http' || asked === 'sse' ? asked : 'auto';
  return {
    kind,
    url: entry.url,
    headers: entry.headers ?? {},
    ...(entry.subprotocol === undefined ? {} : { subprotocol: entry.subprotocol }),
  };
}
