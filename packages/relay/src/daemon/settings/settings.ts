import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { issueText, MAX_FRAME_BYTES, nearNames, RelayError } from '@agent-relay/protocol';
import { dataDirectory, type Environment } from '@agent-relay/sdk/node';
import { z } from 'zod';
import { readSettingsFile, type SettingsFile } from './file.ts';
import { type StartFlags, startFlags } from './start-flags.ts';

const milliseconds = z.int().min(100).max(86_400_000);
const MEBIBYTE = 1024 * 1024;
const bytes = z
  .int()
  .min(0)
  .max(1024 ** 5);

const httpConnections = z.int().min(1).max(1_000_000).default(4000);

/** What `settings.json` may hold. `docs/settings.md` describes each field; a test compares the two. */
export const settingsSchema = z.strictObject({
  database: z.string().min(1).optional(),
  http: z
    .strictObject({
      enabled: z.boolean().default(true),
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(3888),
      allowedHosts: z.array(z.string().min(1)).default([]),
      allowedOrigins: z.array(z.url()).default([]),
      maxConnections: httpConnections,
    })
    .prefault({}),
  mcp: z
    .strictObject({
      stdio: z.boolean().default(false),
      http: z.boolean().default(false),
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(3889),
      apiKey: z.string().min(8).optional(),
      allowedHosts: z.array(z.string().min(1)).default([]),
      allowedOrigins: z.array(z.url()).default([]),
      cors: z.boolean().default(false),
      ipAllowlist: z.array(z.string().min(1)).default([]),
      requestsPerMinute: z.int().min(1).max(1_000_000).default(6000),
      maxConnections: httpConnections,
      tlsCertificate: z.string().min(1).optional(),
      tlsKey: z.string().min(1).optional(),
      servers: z.array(z.string().min(1)).default([]),
      manageServers: z.enum(['local', 'everyone', 'nobody']).default('local'),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
      maxSize: z
        .string()
        .regex(/^[1-9]\d*[KMG]$/, 'must be a number and K, M or G, such as 10M')
        .default('10M'),
      files: z.int().min(1).max(100).default(5),
    })
    .prefault({}),
  limits: z
    .strictObject({
      maxFrameBytes: z.int().min(131_072).max(67_108_864).default(MAX_FRAME_BYTES),
      maxConnections: z.int().min(1).max(1_000_000).default(20_000),
      maxPendingRequests: z.int().min(1).max(100_000).default(1024),
      headersTimeoutMs: milliseconds.default(10_000),
    })
    .prefault({}),
  heartbeatMs: milliseconds.default(15_000),
  idleAfterMs: milliseconds.default(300_000),
  goneAfterMs: milliseconds.default(30_000),
  rateLimit: z
    .strictObject({
      perSecond: z.number().min(0).max(1_000_000).default(100),
      burst: z.int().min(1).max(1_000_000).default(1000),
    })
    .prefault({}),
  governor: z
    .strictObject({
      enabled: z.boolean().default(true),
      emptyTurns: z.int().min(2).max(1000).default(6),
      maxTurns: z.int().min(2).max(1_000_000).default(200),
      windowMs: milliseconds.default(600_000),
    })
    .prefault({}),
  attachments: z
    .strictObject({
      maxFileBytes: bytes.default(10 * MEBIBYTE),
      maxWorkspaceBytes: bytes.default(1024 * MEBIBYTE),
    })
    .prefault({}),
  retention: z.strictObject({ days: z.number().min(0).max(36_500).default(0) }).prefault({}),
  hooks: z
    .strictObject({
      question: z
        .strictObject({
          command: z.array(z.string()).min(1).optional(),
          webhook: z.url({ protocol: /^https?$/ }).optional(),
        })
        .prefault({}),
    })
    .prefault({}),
});

/** Everything a daemon needs to know before it starts. */
export type Settings = Omit<z.output<typeof settingsSchema>, 'database'> & {
  configDirectory: string;
  dataDirectory: string;
  /** The path of an SQLite file, or a postgres:// URL. */
  database: string;
  /** Those flags that were given, for a restart. */
  flags: StartFlags;
};

/** What the command line may set; each wins over the environment and the file. */
export interface SettingsFlags extends StartFlags {
  mcp?: boolean;
  mcpApiKey?: string;
}

/** A value that does not come from the file, with the name a person knows it by. */
interface Override {
  label: string;
  path: [string] | ['http' | 'mcp', string];
  value: unknown;
}

/** Where `settings.json` is looked for. */
export function configDirectory(env: Environment = process.env): string {
  if (env.RELAY_CONFIG) return resolve(env.RELAY_CONFIG);
  const shared = env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : undefined;
  return join(shared ?? join(env.HOME || homedir(), '.config'), 'agent-relay');
}

/** Reads the settings: a flag wins over the environment, that over the file, that over the default. */
export async function loadSettings(
  env: Environment = process.env,
  flags: SettingsFlags = {},
): Promise<Settings> {
  if (flags.database !== undefined && hasPassword(flags.database)) {
    throw new RelayError('InvalidSettings', '--database has a password, which every user could read.', {
      next: 'Give it as RELAY_DATABASE, or as "database" in settings.json.',
    });
  }
  const directory = configDirectory(env);
  const file = await readSettingsFile(join(directory, 'settings.json'));
  const raw = { ...file.value };
  const overrides = overridesOf(env, flags);
  for (const override of overrides) apply(override, raw);
  const parsed = settingsSchema.safeParse(raw, { error: issueText });
  if (!parsed.success) throw explain(parsed.error.issues[0], file, overrides);
  const { database, mcp, ...rest } = parsed.data;
  if ((mcp.tlsCertificate === undefined) !== (mcp.tlsKey === undefined)) {
    throw new RelayError(
      'InvalidSettings',
      `${file.placeOf(['mcp'])}: mcp.tlsCertificate and mcp.tlsKey need each other.`,
      { next: 'Set both, here or by RELAY_MCP_TLS_CERTIFICATE and RELAY_MCP_TLS_KEY, or neither.' },
    );
  }
  if (flags.mcpApiKey !== undefined && !mcp.http) {
    throw new RelayError('InvalidSettings', '--mcp-api-key does nothing without --mcp-http.', {
      next: 'Add --mcp-http, or leave it out.',
    });
  }
  const data = dataDirectory(env);
  /** A path in the file is relative to it; one from elsewhere to where the command runs. */
  const baseOf = (setting: string) =>
    overrides.some(({ path }) => path.join('.') === setting) ? process.cwd() : directory;
  const servers = mcp.servers.map((path) => locate(path, baseOf('mcp.servers'), env));
  const located =
    database === undefined ? join(data, 'relay.db') : locateDatabase(database, baseOf('database'), env);
  return {
    ...rest,
    mcp: {
      ...mcp,
      ...(mcp.tlsCertificate
        ? { tlsCertificate: locate(mcp.tlsCertificate, baseOf('mcp.tlsCertificate'), env) }
        : {}),
      ...(mcp.tlsKey ? { tlsKey: locate(mcp.tlsKey, baseOf('mcp.tlsKey'), env) } : {}),
      servers,
    },
    configDirectory: directory,
    dataDirectory: data,
    database: located,
    flags: startFlags(flags, { database: located, mcpServers: servers }),
  };
}

/** A database URL as it may be shown; a path is shown as it is. */
export const withoutPassword = (database: string): string =>
  database
    .replace(/^(postgres(?:ql)?:\/\/[^:@/?]*):[^@]*@/, '$1:***@')
    .replace(/([?&]password=)[^&]*/g, '$1***');

const isUrl = (database: string): boolean => /^postgres(ql)?:\/\//.test(database);
const hasPassword = (database: string): boolean => isUrl(database) && withoutPassword(database) !== database;

function locateDatabase(database: string, relativeTo: string, env: Environment): string {
  if (isUrl(database)) return database;
  if (/^[a-z]+:\/\//i.test(database)) {
    throw new RelayError(
      'InvalidSettings',
      `database: "${withoutPassword(database)}" is neither a path nor a postgres:// URL.`,
    );
  }
  return locate(database, relativeTo, env);
}

const locate = (path: string, relativeTo: string, env: Environment): string =>
  resolve(relativeTo, path.startsWith('~/') ? join(env.HOME || homedir(), path.slice(2)) : path);

function overridesOf(env: Environment, flags: SettingsFlags): Override[] {
  const { mcpHttp } = flags;
  const given: Array<[label: string, path: Override['path'], value: unknown]> = [
    ['RELAY_DATABASE', ['database'], env.RELAY_DATABASE],
    ['RELAY_HTTP_HOST', ['http', 'host'], env.RELAY_HTTP_HOST],
    ['RELAY_HTTP_PORT', ['http', 'port'], numberIn(env.RELAY_HTTP_PORT)],
    ['RELAY_MCP_ENABLED', ['mcp', 'stdio'], booleanIn(env.RELAY_MCP_ENABLED)],
    ['RELAY_MCP_HTTP_ENABLED', ['mcp', 'http'], booleanIn(env.RELAY_MCP_HTTP_ENABLED)],
    ['RELAY_MCP_HTTP_HOST', ['mcp', 'host'], env.RELAY_MCP_HTTP_HOST],
    ['RELAY_MCP_HTTP_PORT', ['mcp', 'port'], numberIn(env.RELAY_MCP_HTTP_PORT)],
    ['RELAY_MCP_API_KEY', ['mcp', 'apiKey'], env.RELAY_MCP_API_KEY],
    ['RELAY_MCP_ALLOWED_HOSTS', ['mcp', 'allowedHosts'], wordsIn(env.RELAY_MCP_ALLOWED_HOSTS)],
    ['RELAY_MCP_TLS_CERTIFICATE', ['mcp', 'tlsCertificate'], env.RELAY_MCP_TLS_CERTIFICATE],
    ['RELAY_MCP_TLS_KEY', ['mcp', 'tlsKey'], env.RELAY_MCP_TLS_KEY],
    ['RELAY_MCP_SERVERS_CONFIG', ['mcp', 'servers'], pathsIn(env.RELAY_MCP_SERVERS_CONFIG)],
    ['--database', ['database'], flags.database],
    ['--port', ['http', 'port'], numberIn(flags.port)],
    ['--mcp', ['mcp', 'stdio'], flags.mcp],
    ['--mcp-http', ['mcp', 'http'], mcpHttp === undefined ? undefined : true],
    ['--mcp-http', ['mcp', 'port'], mcpHttp === true ? undefined : numberIn(mcpHttp)],
    ['--mcp-api-key', ['mcp', 'apiKey'], flags.mcpApiKey],
    ['--mcp-servers', ['mcp', 'servers'], flags.mcpServers],
  ];
  return given.flatMap(([label, path, value]) =>
    value === undefined || value === '' ? [] : [{ label, path, value }],
  );
}

// What is no number, or no yes or no, stays as it is: the schema then says what is wrong with it.
const numberIn = (text: string | undefined): unknown => (/^\d+$/.test(text ?? '') ? Number(text) : text);
const booleanIn = (text: string | undefined): unknown =>
  ({ true: true, '1': true, false: false, '0': false })[text ?? ''] ?? text;

const wordsIn = (text: string | undefined): string[] | undefined =>
  text ? text.split(/[\s,]+/).filter((word) => word !== '') : undefined;

const pathsIn = (text: string | undefined): string[] | undefined =>
  text ? text.split(delimiter).filter((path) => path !== '') : undefined;

function apply({ path: [first, second], value }: Override, raw: Record<string, unknown>): void {
  if (second === undefined) {
    raw[first] = value;
    return;
  }
  const section = raw[first] ?? {};
  // A section of the wrong type stays as it is: the file is to be corrected first.
  if (typeof section === 'object') raw[first] = { ...section, [second]: value };
}

/** Turns the first complaint of the schema into one that names the place to correct. */
function explain(issue: z.core.$ZodIssue | undefined, file: SettingsFile, overrides: Override[]): RelayError {
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const section = (issue?.path ?? []).map((segment) => (typeof segment === 'symbol' ? '' : segment));
  const path = unknownKey === undefined ? section : [...section, unknownKey];
  const name = path.join('.');
  const override = overrides.findLast(({ path: place }) => place.join('.') === name);
  if (override) return new RelayError('InvalidSettings', `${override.label}: ${issue?.message}.`);
  const place = file.placeOf(path);
  if (unknownKey === undefined)
    return new RelayError('InvalidSettings', `${place}: ${name}: ${issue?.message}.`);
  const [near] = nearNames(unknownKey, knownKeys(section));
  return new RelayError('InvalidSettings', `${place}: there is no setting "${name}".`, {
    next: near === undefined ? 'Remove it, or see docs/settings.md.' : `Did you mean "${near}"?`,
  });
}

/** The keys the schema has in one of its sections. */
function knownKeys(section: Array<string | number>): string[] {
  let schema: z.ZodType | undefined = settingsSchema;
  for (const name of section) schema = shapeOf(schema)[name];
  return Object.keys(shapeOf(schema));
}

function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> {
  const inner = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  return inner instanceof z.ZodObject ? inner.shape : {};
}
