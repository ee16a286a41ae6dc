import type { Argument, Command, Option } from 'commander';

/** The names in the project; each list is empty if there is no daemon. */
export interface Names {
  agents(): Promise<string[]>;
  /** Without `#`, which starts a comment in a shell. */
  channels(): Promise<string[]>;
  projects(): Promise<string[]>;
  /** Short ids, of this directory's repository. */
  keptCommits(): Promise<string[]>;
}

type Wanted = (names: Names) => Promise<string[]>;

const agents: Wanted = (names) => names.agents();
const channels: Wanted = (names) => names.channels();
const projects: Wanted = (names) => names.projects();
const keptCommits: Wanted = (names) => names.keptCommits();
const rooms: Wanted = async (names) => [
  ...(await names.agents()),
  ...(await names.channels()).map((name) => `#${name}`),
];

const OPTION_NAMES: Record<string, Wanted> = {
  '--as': agents,
  '--from': agents,
  '--agent': agents,
  '--channel': channels,
  '--project': projects,
};
const ARGUMENT_NAMES: Record<string, Wanted> = {
  agent: agents,
  channel: channels,
  commit: keptCommits,
  workspace: projects,
  to: rooms,
  where: rooms,
};

/** The candidates for the last word. */
export async function candidates(program: Command, words: string[], names: Names): Promise<string[]> {
  // An open quote, or the backslash before a #.
  const current = (words.at(-1) ?? '').replace(/^['"\\]/, '');
  const { command, option, argument } = position(program, words.slice(0, -1));
  const named = current.startsWith('@') ? { ...names, agents: () => withAt(names) } : names;
  const found = await possible(command, option, argument, current, named);
  return found.filter((word) => word.startsWith(current));
}

const withAt = async (names: Names): Promise<string[]> => (await names.agents()).map((name) => `@${name}`);

async function possible(
  command: Command,
  option: Option | undefined,
  argument: Argument | undefined,
  current: string,
  names: Names,
): Promise<string[]> {
  if (option) return option.argChoices ?? (await OPTION_NAMES[option.long ?? '']?.(names)) ?? [];
  if (current.startsWith('-')) return optionsOf(command);
  if (command.commands.length > 0) return command.commands.map((child) => child.name());
  return argument?.argChoices ?? (await ARGUMENT_NAMES[argument?.name() ?? '']?.(names)) ?? [];
}

const optionsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ hidden, long }) => (hidden || !long ? [] : [long])),
  '--help',
  ...(command.parent ? [] : ['--as', '--project', '--json']),
];

/** What comes next: a command, the value of an option, or an argument. */
function position(program: Command, words: string[]) {
  let command = program;
  let option: Option | undefined;
  let count = 0;
  for (const word of words) {
    if (option) option = undefined;
    else if (word.startsWith('-')) option = openOption(command, word);
    else {
      const child = command.commands.find((known) => known.name() === word);
      if (child) command = child;
      else count++;
    }
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[count] ?? (last?.variadic ? last : undefined);
  return { command, option, argument };
}

/** The option that expects a value. */
function openOption(command: Command, word: string): Option | undefined {
  // Before the command, only the common options.
  const options = command.parent ? command.options : (command.commands.find(hasAgent)?.options ?? []);
  const option = options.find(({ long, short }) => long === word || short === word);
  return option?.required || option?.optional ? option : undefined;
}

const hasAgent = (command: Command): boolean => command.options.some(({ long }) => long === '--as');
