import { join } from 'node:path';
import { issueText, nearNames, RelayError } from '@agent-relay/protocol';
import { dataDirectory, type Environment } from '@agent-relay/sdk/node';
import { z } from 'zod';
import { readSettingsFile, type SettingsFile } from './file.ts';
import { configDirectory, hasPassword, isPath, locate } from './locate.ts';
import { givenVariables, type Override, overridesOf, valueAt, withValue } from './overrides.ts';
import { keptFlags } from './start-flags.ts';
import { isSetting, ROWS, SETTINGS, type Section, type Setting, type StartFlags } from './table.ts';

type SchemaOf<Entry> = Entry extends Setting ? ReturnType<Entry['schema']> : z.ZodPrefault<ObjectOf<Entry>>;
type ObjectOf<Entries> = z.ZodObject<
  { -readonly [Name in keyof Entries]: SchemaOf<Entries[Name]> },
  z.core.$strict
>;

function objectOf(section: Section): z.ZodObject {
  const schemas = Object.entries(section).map(([name, entry]) => [
    name,
    isSetting(entry) ? entry.schema(z) : objectOf(entry).prefault({}),
  ]);
  return z.strictObject(Object.fromEntries(schemas));
}

// Walking the table by name loses the types of its schemas, so the type is stated here. There is no other cast.
/** The fields of `settings.json`. `docs/settings.md` describes each; a test compares the two. */
export const settingsSchema = objectOf(SETTINGS) as ObjectOf<typeof SETTINGS>;

/** Everything a daemon needs to start. */
export type Settings = Omit<z.output<typeof settingsSchema>, 'database'> & {
  configDirectory: string;
  dataDirectory: string;
  /** The path of an SQLite file, or a postgres:// URL. */
  database: string;
  /** The given flags, for a restart. */
  flags: StartFlags;
  /** What was given in other ways than the flags and the file: another process gets it as variables. */
  variables: Readonly<Record<string, string>>;
};

/** Reads the settings: a flag wins over the environment, that over the file, that over the default. */
export async function loadSettings(
  env: Environment = process.env,
  flags: StartFlags = {},
): Promise<Settings> {
  if (typeof flags.database === 'string' && hasPassword(flags.database)) {
    throw new RelayError('InvalidSettings', '--database contains a password, which other users could read.', {
      next: 'Use RELAY_DATABASE, or "database" in settings.json.',
    });
  }
  const directory = configDirectory(env);
  const file = await readSettingsFile(join(directory, 'settings.json'));
  const overrides = overridesOf(env, flags);
  const given = overrides.reduce<unknown>(
    (values, { path, value }) => withValue(values, path, value),
    file.value,
  );
  /** A path in the file is relative to it; others are relative to the working directory. */
  const baseOf = (setting: string) =>
    overrides.some(({ path }) => path.join('.') === setting) ? process.cwd() : directory;
  const parsed = settingsSchema.safeParse(withLocatedPaths(given, baseOf, env), { error: issueText });
  if (!parsed.success) throw explain(parsed.error.issues[0], file, overrides);
  const { mcp } = parsed.data;
  if ((mcp.tlsCertificate === undefined) !== (mcp.tlsKey === undefined)) {
    throw new RelayError(
      'InvalidSettings',
      `${file.placeOf(['mcp'])}: TLS needs both a certificate and a key (mcp.tlsCertificate, mcp.tlsKey).`,
      { next: 'Set both, here or with RELAY_MCP_TLS_CERTIFICATE and RELAY_MCP_TLS_KEY, or neither.' },
    );
  }
  if (flags.mcpApiKey !== undefined && !mcp.http) {
    throw new RelayError('InvalidSettings', '--mcp-api-key has no effect without --mcp-http.', {
      next: 'Add --mcp-http, or remove it.',
    });
  }
  const data = dataDirectory(env);
  return {
    ...parsed.data,
    configDirectory: directory,
    dataDirectory: data,
    database: parsed.data.database ?? join(data, 'relay.db'),
    flags: keptFlags(flags, env),
    variables: givenVariables(parsed.data, env, flags),
  };
}

/** Makes paths absolute; `baseOf` returns the base directory for a setting. */
const withLocatedPaths = (values: unknown, baseOf: (setting: string) => string, env: Environment): unknown =>
  ROWS.reduce((located, { path, setting: { form } }) => {
    const value = valueAt(located, path);
    if (value === undefined || !isPath(form)) return located;
    return withValue(located, path, locate(value, form, baseOf(path.join('.')), env));
  }, values);

/** Turns the first issue of the schema into an error that names the place to correct. */
function explain(issue: z.core.$ZodIssue | undefined, file: SettingsFile, overrides: Override[]): RelayError {
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const section = (issue?.path ?? []).map((segment) => (typeof segment === 'symbol' ? '' : segment));
  const path = unknownKey === undefined ? section : [...section, unknownKey];
  const name = path.join('.');
  // Of a list it may be one element.
  const override = overrides.findLast(({ path: place }) => `${name}.`.startsWith(`${place.join('.')}.`));
  if (override) return new RelayError('InvalidSettings', `${override.label}: ${issue?.message}.`);
  const place = file.placeOf(path);
  if (unknownKey === undefined)
    return new RelayError('InvalidSettings', `${place}: ${name}: ${issue?.message}.`);
  const [near] = nearNames(unknownKey, knownKeys(section));
  return new RelayError('InvalidSettings', `${place}: there is no setting "${name}".`, {
    next: near === undefined ? 'Remove it, or see docs/settings.md.' : `Did you mean "${near}"?`,
  });
}

/** The keys that one section of the table has. */
function knownKeys(section: Array<string | number>): string[] {
  let entries: Setting | Section = SETTINGS;
  for (const name of section) entries = isSetting(entries) ? {} : (entries[name] ?? {});
  return Object.keys(entries);
}
