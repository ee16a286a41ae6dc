import { MAX_FRAME_BYTES, MAX_TOOLS } from '@agent-relay/protocol';
import type { z } from 'zod';

type Zod = typeof z;

/**
 * How a setting is parsed from text. Paths are relative to where they are given: in the file, to
 * the file; elsewhere, to the working directory.
 */
export type Form = 'text' | 'number' | 'switch' | 'words' | 'path' | 'paths' | 'database';

/** A flag of the commands that start a daemon. */
export interface Flag<Name extends string = string> {
  /** Commander's placeholder for its value. */
  readonly name: Name;
  readonly words: string;
  readonly help: string;
  /** Stored and used again when the daemon is restarted; never for a secret. */
  readonly kept?: true;
  /** Repeatable. */
  readonly repeatable?: true;
  /** Only for a daemon in this terminal. */
  readonly onlyUp?: true;
}

export interface Setting<Name extends string = string> {
  /** Its schema and default. The library is passed in, because showing help must not load it. */
  readonly schema: (zod: Zod) => z.ZodType;
  /** Default: `text`. */
  readonly form?: Form;
  readonly env?: string;
  readonly flag?: Flag<Name>;
}

export interface Section<Name extends string = string> {
  readonly [name: string]: Setting<Name> | Section<Name>;
}

/** Enables MCP over HTTP; the optional argument is the port. */
const MCP_HTTP_FLAG = {
  name: 'mcpHttp',
  words: '--mcp-http [port]',
  help: 'serve MCP over HTTP (default port: 3889)',
  kept: true,
} as const satisfies Flag;

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

const text = (zod: Zod) => zod.string().min(1);
const texts = (zod: Zod) => zod.array(text(zod)).default([]);
/** A host as it is in a Host header, without the port: a name, an address, an IPv6 address in brackets. */
export const isHost = (host: string): boolean => /^([^\s:/[\]]+|\[[\da-f:.]+\])$/i.test(host);
export const HOST_FORM = 'must be a name or an address without a port, such as relay.example or [fd00::7]';
const hosts = (zod: Zod) => zod.array(text(zod).refine(isHost, HOST_FORM)).default([]);
const origins = (zod: Zod) => zod.array(zod.url()).default([]);
const yesNo = (usual: boolean) => (zod: Zod) => zod.boolean().default(usual);
const milliseconds = (usual: number) => (zod: Zod) => zod.int().min(100).max(86_400_000).default(usual);
const count = (least: number, most: number, usual: number) => (zod: Zod) =>
  zod.int().min(least).max(most).default(usual);

/** The user's own agent CLIs, by the word that spawns them. */
const configuredClis = (zod: Zod) => {
  const pattern = zod.string().min(1).refine(isPattern, 'must be a regular expression');
  const screen = zod.strictObject({
    composer: pattern,
    busy: pattern.optional(),
    dialog: pattern.optional(),
    starting: pattern.optional(),
  });
  const cli = zod.strictObject({
    command: zod.array(text(zod)).min(1),
    model: zod.array(text(zod)).min(1).optional(),
    conversation: zod
      .strictObject({ begin: zod.array(text(zod)).min(1), resume: zod.array(text(zod)).min(1) })
      .optional(),
    screen: screen.optional(),
  });
  return zod.record(zod.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be one word'), cli).default({});
};

function isPattern(source: string): boolean {
  try {
    return Boolean(new RegExp(source, 'u'));
  } catch {
    return false;
  }
}

/**
 * Every setting of the daemon: its place in `settings.json`, its values and default, its variable and its flag. A new
 * one is added here and in `docs/settings.md`, which a test compares; everything else follows from this table.
 */
export const SETTINGS = {
  database: {
    schema: (zod) => text(zod).optional(),
    form: 'database',
    env: 'RELAY_DATABASE',
    flag: {
      name: 'database',
      words: '--database <place>',
      help: 'SQLite file, or postgres:// URL without a password',
      kept: true,
    },
  },
  http: {
    enabled: { schema: yesNo(true) },
    host: { schema: (zod) => text(zod).default('127.0.0.1'), env: 'RELAY_HTTP_HOST' },
    port: {
      schema: count(0, 65_535, 3888),
      form: 'number',
      env: 'RELAY_HTTP_PORT',
      flag: {
        name: 'port',
        words: '--port <number>',
        help: 'HTTP port, 0 for any free port (default: 3888)',
        kept: true,
      },
    },
    allowedHosts: { schema: hosts },
    allowedOrigins: { schema: origins },
    maxConnections: { schema: count(1, 1_000_000, 4000) },
  },
  dashboard: {
    linkMinutes: { schema: count(1, 1440, 5) },
    sessionDays: { schema: count(1, 3650, 90) },
    idleDays: { schema: count(1, 3650, 30) },
  },
  mcp: {
    stdio: {
      schema: yesNo(false),
      form: 'switch',
      env: 'RELAY_MCP_ENABLED',
      flag: {
        name: 'mcp',
        words: '--mcp',
        help: 'serve MCP on stdin and stdout; logs go to stderr',
        onlyUp: true,
      },
    },
    http: { schema: yesNo(false), form: 'switch', env: 'RELAY_MCP_HTTP_ENABLED', flag: MCP_HTTP_FLAG },
    host: { schema: (zod) => text(zod).default('127.0.0.1'), env: 'RELAY_MCP_HTTP_HOST' },
    port: {
      schema: count(0, 65_535, 3889),
      form: 'number',
      env: 'RELAY_MCP_HTTP_PORT',
      flag: MCP_HTTP_FLAG,
    },
    apiKey: {
      schema: (zod) => zod.string().min(8).optional(),
      env: 'RELAY_MCP_API_KEY',
      flag: {
        name: 'mcpApiKey',
        words: '--mcp-api-key <key>',
        help: 'API key for MCP over HTTP (safer: $RELAY_MCP_API_KEY)',
      },
    },
    allowedHosts: { schema: hosts, form: 'words', env: 'RELAY_MCP_ALLOWED_HOSTS' },
    allowedOrigins: { schema: origins },
    cors: { schema: yesNo(false) },
    ipAllowlist: { schema: texts },
    requestsPerMinute: { schema: count(1, 1_000_000, 6000) },
    maxSessions: { schema: count(1, 1_000_000, 1000) },
    maxSessionsPerKey: { schema: count(1, 1_000_000, 250) },
    maxStreamsPerKey: { schema: count(1, 1_000_000, 1000) },
    maxRequestBytesPerKey: { schema: count(16 * MEBIBYTE, 1024 ** 5, 128 * MEBIBYTE) },
    maxConnections: { schema: count(1, 1_000_000, 4000) },
    tlsCertificate: {
      schema: (zod) => text(zod).optional(),
      form: 'path',
      env: 'RELAY_MCP_TLS_CERTIFICATE',
    },
    tlsKey: { schema: (zod) => text(zod).optional(), form: 'path', env: 'RELAY_MCP_TLS_KEY' },
    servers: {
      schema: texts,
      form: 'paths',
      env: 'RELAY_MCP_SERVERS_CONFIG',
      flag: {
        name: 'mcpServers',
        words: '--mcp-servers <file>',
        help: 'file that lists MCP servers for all agents (repeatable)',
        kept: true,
        repeatable: true,
      },
    },
    manageServers: { schema: (zod) => zod.enum(['local', 'everyone', 'nobody']).default('local') },
  },
  log: {
    level: {
      schema: (zod) => zod.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
    },
    maxSize: {
      schema: (zod) =>
        zod
          .string()
          .regex(/^[1-9]\d*[KMG]$/, 'must be a number and K, M or G, such as 10M')
          .default('10M'),
    },
    files: { schema: count(1, 100, 5) },
  },
  limits: {
    maxFrameBytes: { schema: count(131_072, 67_108_864, MAX_FRAME_BYTES) },
    maxConnections: { schema: count(1, 1_000_000, 20_000) },
    maxPendingRequests: { schema: count(1, 100_000, 1024) },
    refusalsPerSecond: { schema: count(1, 1_000_000, 100) },
    headersTimeoutMs: { schema: milliseconds(10_000) },
  },
  heartbeatMs: { schema: milliseconds(15_000) },
  idleAfterMs: { schema: milliseconds(60_000) },
  goneAfterMs: { schema: milliseconds(30_000) },
  rateLimit: {
    perSecond: { schema: (zod) => zod.number().min(0).max(1_000_000).default(100) },
    burst: { schema: count(1, 1_000_000, 1000) },
  },
  governor: {
    enabled: { schema: yesNo(true) },
    emptyTurns: { schema: count(2, 1000, 6) },
    maxTurns: { schema: count(2, 1_000_000, 200) },
    windowMs: { schema: milliseconds(600_000) },
  },
  attachments: {
    maxFileBytes: { schema: count(0, 1024 ** 5, 10 * MEBIBYTE) },
    maxWorkspaceBytes: { schema: count(0, 1024 ** 5, 1024 * MEBIBYTE) },
  },
  quotas: {
    profileBytes: { schema: count(1024, MEBIBYTE, 16 * KIBIBYTE) },
    toolBytes: { schema: count(1024, MEBIBYTE, 16 * KIBIBYTE) },
    tools: { schema: count(0, MAX_TOOLS, 256) },
    toolsBytes: { schema: count(0, 64 * MEBIBYTE, 512 * KIBIBYTE) },
    servedBytes: { schema: count(0, 1024 * MEBIBYTE, 4 * MEBIBYTE) },
    agentsPerKey: { schema: count(1, 1_000_000, 1000) },
    connectionsPerKey: { schema: count(1, 1_000_000, 2000) },
    localAgents: { schema: count(1, 1_000_000, 20_000) },
    channels: { schema: count(0, 1_000_000, 1000) },
    attachments: { schema: count(0, 10_000_000, 10_000) },
    attachmentBytes: { schema: count(0, 1024 ** 5, 256 * MEBIBYTE) },
    reactions: { schema: count(0, 10_000, 20) },
    messageReactions: { schema: count(0, 100_000, 1000) },
    awaits: { schema: count(0, 100_000, 100) },
    spawns: { schema: count(0, 10_000, 16) },
    calls: { schema: count(0, 1_000_000, 1000) },
    callDepth: { schema: count(1, 1000, 8) },
    callBytes: { schema: count(1024, 64 * MEBIBYTE, 512 * KIBIBYTE) },
    openCallBytes: { schema: count(1024, 1024 * MEBIBYTE, 32 * MEBIBYTE) },
    viewers: { schema: count(0, 100_000, 100) },
    invocations: { schema: count(0, 1_000_000, 1000) },
    invocationBytes: { schema: count(0, 1024 ** 5, 64 * MEBIBYTE) },
  },
  spawn: {
    anywhere: { schema: yesNo(false) },
    setup: { schema: (zod) => text(zod).optional() },
    orphans: { schema: (zod) => zod.enum(['keep', 'release']).default('keep') },
    patterns: { schema: yesNo(true) },
  },
  clis: { schema: (zod) => configuredClis(zod) },
  retention: { days: { schema: (zod) => zod.number().min(0).max(36_500).default(0) } },
  hooks: {
    question: {
      command: { schema: (zod) => zod.array(zod.string()).min(1).optional() },
      webhook: { schema: (zod) => zod.url({ protocol: /^https?$/ }).optional() },
    },
  },
} as const satisfies Section;

type FlagNameIn<Entry> = Entry extends { flag: { name: infer Name extends string } }
  ? Name
  : Entry extends Setting
    ? never
    : FlagNameIn<Entry[keyof Entry]>;
export type FlagName = FlagNameIn<typeof SETTINGS>;

/** The parsed flags of a command that starts a daemon; the schema checks them. */
export type StartFlags = { [Name in FlagName]?: string | true | string[] };

/** A setting with its path. */
export interface Row {
  path: readonly string[];
  setting: Setting<FlagName>;
}

export const isSetting = <Name extends string>(
  entry: Setting<Name> | Section<Name>,
): entry is Setting<Name> => typeof entry.schema === 'function';

/** The settings in the order of the table. */
export const ROWS: readonly Row[] = rowsOf(SETTINGS, []);

function rowsOf(section: Section<FlagName>, path: readonly string[]): Row[] {
  return Object.entries(section).flatMap(([name, entry]) =>
    isSetting(entry) ? [{ path: [...path, name], setting: entry }] : rowsOf(entry, [...path, name]),
  );
}

/** The flags in the order of the table, each once. */
export const FLAGS: ReadonlySet<Flag<FlagName>> = new Set(
  ROWS.flatMap(({ setting }) => (setting.flag ? [setting.flag] : [])),
);

/** A flag without its argument. */
export const longOf = ({ words }: Flag): string => words.split(' ')[0] ?? words;
