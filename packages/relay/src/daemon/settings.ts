import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { MAX_FRAME_BYTES, nearNames, RelayError } from '@agent-relay/protocol';
import { dataDirectory, type Environment } from '@agent-relay/sdk/node';
import { z } from 'zod';
import { readSettingsFile, type SettingsFile } from './settings-file.ts';

const milliseconds = z.int().min(100).max(86_400_000);
const MEBIBYTE = 1024 * 1024;
const bytes = z
  .int()
  .min(0)
  .max(1024 ** 5);

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
    })
    .prefault({}),
  heartbeatMs: milliseconds.default(15_000),
  idleAfterMs: milliseconds.default(300_000),
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
};

/** What the command line may set; each wins over the environment and the file. */
export interface SettingsFlags {
  database?: string;
  port?: string;
}

/** A value that does not come from the file, with the name a person knows it by. */
interface Override {
  label: string;
  path: [string] | ['http', string];
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
  const parsed = settingsSchema.safeParse(raw);
  if (!parsed.success) throw explain(parsed.error.issues[0], file, overrides);
  const { database, ...rest } = parsed.data;
  const data = dataDirectory(env);
  const relativeTo = overrides.some(({ path }) => path[0] === 'database') ? process.cwd() : directory;
  return {
    ...rest,
    configDirectory: directory,
    dataDirectory: data,
    database: database === undefined ? join(data, 'relay.db') : locateDatabase(database, relativeTo, env),
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
  const path = database.startsWith('~/') ? join(env.HOME || homedir(), database.slice(2)) : database;
  return resolve(relativeTo, path);
}

function overridesOf(env: Environment, flags: SettingsFlags): Override[] {
  const given: Array<[label: string, path: Override['path'], value: string | undefined]> = [
    ['RELAY_DATABASE', ['database'], env.RELAY_DATABASE],
    ['RELAY_HTTP_HOST', ['http', 'host'], env.RELAY_HTTP_HOST],
    ['RELAY_HTTP_PORT', ['http', 'port'], env.RELAY_HTTP_PORT],
    ['--database', ['database'], flags.database],
    ['--port', ['http', 'port'], flags.port],
  ];
  return given.flatMap(([label, path, value]) =>
    value === undefined || value === ''
      ? []
      : [{ label, path, value: path[1] === 'port' && /^\d+$/.test(value) ? Number(value) : value }],
  );
}

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
