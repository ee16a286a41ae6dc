import { RelayError } from '@agent-relay/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** The project of a command; found by discovery if absent. */
export interface ProjectOption {
  project?: string;
}
export interface JsonOption {
  json?: boolean;
}
export interface AgentOption {
  as?: string;
}
export interface ToolsOption {
  tools?: string;
}

export const withProject = (command: Command): Command =>
  command.option('--project <name>', "project name (default: this directory's)");

export const withJson = (command: Command): Command => command.option('--json', 'output JSON');

export const withAgent = (command: Command): Command =>
  command.option('--as <name>', 'act as this agent (default: $RELAY_AGENT_NAME, else your user name)');

/** For commands that read: what that agent can see, or everything. */
export const withViewer = (command: Command): Command =>
  command.option('--as <name>', 'show only what this agent can see (default: everything)');

export const withTools = (command: Command): Command =>
  command.option('--tools <list>', 'comma-separated toolsets for MCP clients (default: $RELAY_TOOLS)');

/** Refuses options that have no effect without another one, because nobody would notice. */
export function refuseIdleOptions(
  command: Command,
  names: readonly string[],
  { without, next = `Add ${without}, or remove it.` }: { without: string; next?: string },
): void {
  const idle = optionsGiven(command).find((option) => names.includes(option.attributeName()));
  if (idle)
    throw new RelayError('InvalidRequest', `${idle.long} has no effect without ${without}.`, { next });
}

/** Refuses options before the name of a subcommand, which has its own. */
export function refuseOptionsBefore(command: Command, subcommand: Command): void {
  const [given] = optionsGiven(command);
  if (!given) return;
  const words = `${command.name()} ${subcommand.name()}`;
  const owned = subcommand.options.some(({ long }) => long === given.long);
  throw new RelayError('InvalidRequest', `${given.long} has no effect before "${subcommand.name()}".`, {
    next: owned
      ? `Put it after the command: agent-relay ${words} ${given.flags}`
      : `Remove it. See: agent-relay ${words} --help`,
  });
}

const optionsGiven = (command: Command): Option[] =>
  command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');

/** Collects the values of a repeatable option. */
export const collect = (value: string, values: string[] = []): string[] => [...values, value];

/** A whole number, at least `least`. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`Use a whole number, ${least} or more.`);
  };

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `10m`, `2h` or `3d`, in milliseconds. */
function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 0);
  throw new InvalidArgumentError('Use milliseconds, or a number followed by s, m, h or d, for example 10m.');
}

/** A timeout: milliseconds, or a duration such as `90s`. */
export const patience = (text: string): number =>
  /^\d+$/.test(text) ? wholeNumber(1)(text) : duration(text);

/** A past time: a duration ago (`2h`), or a date and time (`2026-01-31`, `2026-01-31T14:00Z`). */
export function pastTime(text: string): number {
  if (/^\d+[smhd]$/.test(text)) return Date.now() - duration(text);
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0) return time;
  throw new InvalidArgumentError('Use a duration such as 2h (ago), or a date such as 2026-01-31.');
}

/** A future time: a duration from now (`10m`), or a date and time (`2026-01-31T14:00Z`). */
export function futureTime(text: string): number {
  if (/^\d+[smhd]$/.test(text)) return Date.now() + duration(text);
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0) return time;
  throw new InvalidArgumentError(
    'Use a duration such as 10m (from now), or a time such as 2026-01-31T14:00Z.',
  );
}

export const oneOf = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices([...choices]);
