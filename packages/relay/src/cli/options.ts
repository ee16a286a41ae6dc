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

export const withProject = (command: Command): Command =>
  command.option('--project <name>', 'the project, where it is not the one of this directory');

export const withJson = (command: Command): Command => command.option('--json', 'print JSON for programs');

export const withAgent = (command: Command): Command =>
  command.option('--as <name>', 'the agent you act as (RELAY_AGENT_NAME; else you, by your user name)');

/** Options of commands that start a daemon. */
export const withDaemonSettings = (command: Command): Command =>
  command
    .option('--project <name>', 'the name of the project of this directory')
    .option('--port <number>', 'the HTTP port, 0 for any free one')
    .option('--database <place>', 'the path of an SQLite file, or a postgres:// URL without a password');

/** A whole number, at least `least`. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number, at least ${least}.`);
  };

export const oneOf = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices([...choices]);
