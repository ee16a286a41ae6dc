import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type DaemonStart, isRelayError, RelayError } from '@agent-relay/protocol';
import { connect, dataDirectory, type Environment, runningProjects } from '@agent-relay/sdk/node';
import { findReadyDaemon, stopDaemon } from '../../daemon/control.ts';
import type { DaemonRecord } from '../../daemon/lock.ts';
import type { Settings } from '../../daemon/settings/settings.ts';
import { flagWords } from '../../daemon/settings/start-flags.ts';
import { ROWS } from '../../daemon/settings/table.ts';
import { print } from '../output/terminal.ts';
import { findProjectLocation } from '../target/project.ts';
import { changesOf } from './changes.ts';
import { type StartOptions, start } from './start.ts';

/** The daemon's answer about its own start; a stopped one gives none. */
const ANSWER_MS = 5000;
const VARIABLES = [
  ...ROWS.flatMap(({ setting: { env } }) => (env ? [env] : [])),
  'RELAY_CONFIG',
  'RELAY_PROJECT_ROOT',
];

/** How a daemon is started: its flags, and an environment with its variables. */
interface Start {
  options: StartOptions;
  env: Environment;
}

/**
 * Stops the daemon and starts it with what it was started with; what is given now wins. Everything that can be checked is checked
 * before it stops. If the new one fails, the daemon comes back as it was.
 */
export async function restart({
  force = false,
  ...given
}: StartOptions & { force?: boolean }): Promise<void> {
  const daemon = await findReadyDaemon(dataDirectory());
  if (daemon === undefined) {
    await settingsOf({ options: given, env: process.env });
    print('The daemon was not running.');
    return await start(given);
  }
  const told = await startedWith(force);
  const before = asBefore(daemon, told);
  const next = {
    options: { ...before.options, ...given },
    env: { ...before.env, ...givenIn(process.env) },
  };
  const settings = await check(next, daemon, told !== undefined);
  const lines = changesOf({
    before: { flags: daemon.flags, variables: told?.variables ?? {} },
    after: { flags: settings.flags, variables: settings.variables },
  });
  await stopDaemon(dataDirectory(), { force });
  print('Daemon stopped.');
  const words = flagWords(settings.flags);
  if (words.length > 0) print(`Restarting with: ${words.join(' ')}`);
  for (const line of lines.all) print(line);
  try {
    await start(next.options, next.env);
  } catch (error) {
    throw await afterFailure(error, { before: lines.hasChanged ? before : undefined, words, settings });
  }
}

/** Asked from the daemon itself: what is secret is nowhere else. Undefined if it is of a version that does not know. */
async function startedWith(force: boolean): Promise<DaemonStart | undefined> {
  const [running] = await runningProjects();
  try {
    if (running === undefined) throw new RelayError('DaemonNotRunning', 'The daemon has no open project.');
    const env = { ...process.env, RELAY_AGENT_NAME: undefined };
    await using owner = await connect({
      socketPath: running.socketPath,
      env,
      reconnect: false,
      requestTimeoutMs: ANSWER_MS,
    });
    return await owner.request('STARTED_WITH', {});
  } catch (error) {
    if (!isRelayError(error)) throw error;
    if (!error.retryable || force) return undefined;
    throw new RelayError('Timeout', `The daemon does not say what it was started with: ${error.message}`, {
      next: 'It keeps running. Restart it with the variables of this terminal: agent-relay daemon restart --force',
      cause: error,
    });
  }
}

function asBefore({ flags }: DaemonRecord, told: DaemonStart | undefined): Start {
  if (told === undefined) return { options: flags, env: process.env };
  const { directory, project, variables } = told;
  const others = Object.entries(process.env).filter(([name]) => !VARIABLES.includes(name));
  return {
    options: { ...flags, ...(project === undefined ? {} : { project }) },
    env: {
      ...Object.fromEntries(others),
      ...variables,
      RELAY_PROJECT_ROOT: existsSync(directory) ? directory : undefined,
    },
  };
}

/** What this terminal sets; an empty variable is none. */
const givenIn = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env)
      .filter(([name, value]) => VARIABLES.includes(name) && value)
      .map(([name, value = '']) => [name, name === 'RELAY_PROJECT_ROOT' ? resolve(value) : value]),
  );

async function settingsOf({ options, env }: Start): Promise<Settings> {
  const { loadSettings } = await import('../../daemon/settings/settings.ts');
  return await loadSettings(env, options);
}

async function check(next: Start, daemon: DaemonRecord, isTold: boolean): Promise<Settings> {
  const settings = await settingsOf(next);
  if (!isTold && daemon.mcpKeyMark && settings.mcp.apiKey === undefined)
    throw new RelayError(
      'InvalidRequest',
      'The daemon was started with an MCP API key, which it does not tell.',
      {
        next: 'Set it again, in RELAY_MCP_API_KEY or with --mcp-api-key.',
      },
    );
  await findProjectLocation(next.options, next.env);
  const { rehearse } = await import('../../daemon/rehearsal.ts');
  await rehearse(settings, daemon);
  return settings;
}

/** The daemon has stopped: brings it back as it was, or says how. */
async function afterFailure(
  error: unknown,
  {
    before,
    words,
    settings,
  }: {
    before: Start | undefined;
    words: string[];
    settings: { variables: Readonly<Record<string, string>> };
  },
): Promise<unknown> {
  if (!isRelayError(error)) return error;
  const { code, message, next } = error;
  if (before !== undefined && (await isStarted(before)))
    return new RelayError(code, `The new daemon did not start, so the one before runs again: ${message}`, {
      next,
      cause: error,
    });
  const names = Object.keys(settings.variables);
  const again = ['agent-relay daemon start', ...words].join(' ');
  const where = names.length === 0 ? '' : `, with ${names.join(', ')} set`;
  return new RelayError(code, `The daemon has stopped, and does not start again: ${message}`, {
    next: `${next} Then run: ${again}${where}`,
    cause: error,
  });
}

async function isStarted({ options, env }: Start): Promise<boolean> {
  try {
    await start(options, env);
    return true;
  } catch (error) {
    if (isRelayError(error)) return false;
    throw error;
  }
}
