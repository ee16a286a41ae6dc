import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hookCommand } from '../../hooks/hook-command.ts';
import { HookIngress } from '../../hooks/hook-ingress.ts';
import { HookServer } from '../../hooks/hook-server.ts';
import type { ReadFailure } from '../../hooks/hook-turns.ts';
import type { Channel, RunFacts } from '../adapter.ts';

/** Each of these starts a process that waits in the background; the previous one ends. */
const WAITING = ['SessionStart', 'UserPromptSubmit', 'Stop'];
/** A process that can decide, while the person is asked. */
const ASKING = 'PermissionRequest';
/** This one only tells. */
const TELLING = 'StopFailure';
/** In seconds; the maximum of its timers. */
const LONGEST_S = 2_000_000;

/** A settings file for this run: the relay's hooks plus the person's own `--settings`. */
export interface HookSettings {
  file: string;
  /** The person's arguments without their settings. */
  given: readonly string[];
  channel: Channel;
}

/** Undefined if hooks cannot be used: the terminal is then the only path. */
export async function claudeHooks(run: RunFacts): Promise<HookSettings | undefined> {
  const socketPath = await run.socketPath('hook');
  const { given, settings } = takeSettings(run.args);
  const own = settings === undefined ? {} : await readSettings(settings, run.cwd);
  if (socketPath === undefined || own === undefined) return undefined;
  const hooks = await HookServer.listen(socketPath);
  const file = await run.writeFile('settings.json', JSON.stringify(withHooks(own, socketPath)));
  const channel: Channel = {
    open: (agent) => new HookIngress(hooks, agent, readFailure),
    [Symbol.asyncDispose]: () => hooks[Symbol.asyncDispose](),
  };
  return { file, given, channel };
}

/** A print run waits for its hooks to end. */
export const hasHooks = (args: readonly string[]): boolean =>
  !beforeRest(args).some((word) => /^(--print|-[A-Za-z]*p[A-Za-z]*)$/.test(word));

type Settings = Record<string, unknown> & { hooks?: Record<string, unknown> };

function withHooks(own: Settings, socketPath: string): Settings {
  const telling = { type: 'command', command: hookCommand(socketPath), async: true, timeout: 30 };
  const waiting = {
    type: 'command',
    command: hookCommand(socketPath, 'wait'),
    asyncRewake: true,
    timeout: LONGEST_S,
    // Shown to the person, and to the model before the message.
    rewakeSummary: 'Message from Agent Relay',
    rewakeMessage: 'A message for you:',
  };
  const asking = { type: 'command', command: hookCommand(socketPath, 'ask'), timeout: LONGEST_S };
  const hooks: Record<string, unknown> = { ...own.hooks };
  const add = (event: string, hook: object) => {
    const present = Array.isArray(hooks[event]) ? hooks[event] : [];
    hooks[event] = [...present, { hooks: [hook] }];
  };
  for (const event of WAITING) add(event, waiting);
  add(ASKING, asking);
  add(TELLING, telling);
  return { ...own, hooks };
}

/** The CLI takes one `--settings`, the last: a file, or JSON itself. */
function takeSettings(args: readonly string[]): { given: string[]; settings?: string } {
  const end = beforeRest(args).length;
  const given: string[] = [];
  let settings: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (at >= end || !/^--settings(=|$)/.test(word)) given.push(word);
    else settings = word.includes('=') ? word.slice('--settings='.length) : args[++at];
  }
  return settings === undefined ? { given } : { given, settings };
}

/** Everything after `--` is not an option. */
const beforeRest = (args: readonly string[]): readonly string[] => {
  const rest = args.indexOf('--');
  return rest === -1 ? args : args.slice(0, rest);
};

/** Undefined if they cannot be read: the CLI then gets them unchanged and reports the problem itself. */
async function readSettings(text: string, cwd: string): Promise<Settings | undefined> {
  try {
    const value: unknown = JSON.parse(
      text.trim().startsWith('{') ? text : await readFile(resolve(cwd, text), 'utf8'),
    );
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Settings)
      : undefined;
  } catch {
    return undefined;
  }
}

const readFailure: ReadFailure = (error, details) => {
  if (error === 'rate_limit') return { code: 'usage_limit' };
  if (error === 'authentication_failed') return { code: 'signed_out' };
  return /\bprompt is too long\b|\bcontext limit\b/i.test(details) ? { code: 'context_full' } : undefined;
};
