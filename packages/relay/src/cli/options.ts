import { RelayError } from '@agent-relay/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** The project a command talks to; without it, discovery decides. */
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
  command.option('--project <name>', 'the project, where it is not the one of this directory');

export const withJson = (command: Command): Command => command.option('--json', 'print JSON for programs');

export const withAgent = (command: Command): Command =>
  command.option('--as <name>', 'the agent you act as (RELAY_AGENT_NAME; else you, by your user name)');

/** For commands that look: with a name at what that agent may see, without at everything. */
export const withViewer = (command: Command): Command =>
  command.option('--as <name>', 'see only what this agent may see (else, as the owner, everything)');

export const withTools = (command: Command): Command =>
  command.option('--tools <list>', 'the toolsets for MCP clients, separated by commas (RELAY_TOOLS)');

/** Refuses what was given on the command line and does nothing without another option: nobody would notice. */
export function refuseIdleOptions(
  command: Command,
  names: readonly string[],
  { without, next = `Add ${without}, or leave it out.` }: { without: string; next?: string },
): void {
  const idle = optionsGiven(command).find((option) => names.includes(option.attributeName()));
  if (idle) throw new RelayError('InvalidRequest', `${idle.long} does nothing without ${without}.`, { next });
}

/** Refuses options before the name of a subcommand, which has its own. */
export function refuseOptionsBefore(command: Command, subcommand: Command): void {
  const [given] = optionsGiven(command);
  if (!given) return;
  const words = `${command.name()} ${subcommand.name()}`;
  const owned = subcommand.options.some(({ long }) => long === given.long);
  throw new RelayError('InvalidRequest', `${given.long} before "${subcommand.name()}" does nothing.`, {
    next: owned
      ? `Write it behind: agent-relay ${words} ${given.flags}`
      : `Leave it out, or see: agent-relay ${words} --help`,
  });
}

const optionsGiven = (command: Command): Option[] =>
  command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');

/** Gathers the values of an option that may be repeated. */
export const collect = (value: string, values: string[] = []): string[] => [...values, value];

/** A whole number, at least `least`. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number, at least ${least}.`);
  };

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `10m`, `2h` or `3d`, in milliseconds. */
function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 0);
  throw new InvalidArgumentError('It must be a number and s, m, h or d, such as 10m.');
}

/** How long to wait: milliseconds, as programs say it, or `90s` as people do. */
export const patience = (text: string): number =>
  /^\d+$/.test(text) ? wholeNumber(1)(text) : duration(text);

/** So long ago (`2h`), or a date and time (`2026-01-31`, `2026-01-31T14:00Z`). */
export function pastTime(text: string): number {
  if (/^\d+[smhd]$/.test(text)) return Date.now() - duration(text);
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0) return time;
  throw new InvalidArgumentError('It must be how long ago, such as 2h, or a date, such as 2026-01-31.');
}

/** In so long (`10m`), or a date and time (`2026-01-31T14:00Z`). */
export function futureTime(text: string): number {
  if (/^\d+[smhd]$/.test(text)) return Date.now() + duration(text);
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0) return time;
  throw new InvalidArgumentError(
    'It must be how long, such as 10m, or a date and time, such as 2026-01-31T14:00Z.',
  );
}

export const oneOf = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices([...choices]);
