/** The commands of a chat, with their help. */
export const CHAT_COMMANDS = {
  reply: ['[number] text', 'reply to a message (default: the latest one)'],
  react: ['[number] emoji', 'react to a message; names such as :eyes: work too'],
  readers: ['[number]', 'show who has read a message (default: your latest)'],
  join: ['#channel|name', 'go to a channel or to direct messages'],
  who: ['', 'list agents'],
  help: ['', 'show this help'],
  quit: ['', 'leave (or press Ctrl-C)'],
} as const satisfies Record<string, [args: string, meaning: string]>;

export type ChatCommand = keyof typeof CHAT_COMMANDS;

/** A parsed line. */
export type Line =
  | { kind: 'nothing' }
  | { kind: 'text'; text: string }
  | { kind: 'command'; name: ChatCommand; number: string | undefined; rest: string }
  | { kind: 'unknown'; name: string };

const NUMBERED: ReadonlySet<ChatCommand> = new Set(['reply', 'react', 'readers']);

export function parseLine(line: string): Line {
  const [, name, rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  if (name === undefined)
    return line.trim() === '' ? { kind: 'nothing' } : { kind: 'text', text: line.trim() };
  if (!Object.hasOwn(CHAT_COMMANDS, name)) return { kind: 'unknown', name };
  const command = name as ChatCommand;
  const [, number, others = ''] = /^(\d+)(?:\s+(.*))?$/s.exec(rest) ?? [];
  const isNumbered = NUMBERED.has(command) && number !== undefined;
  return {
    kind: 'command',
    name: command,
    number: isNumbered ? number : undefined,
    rest: (isNumbered ? others : rest).trim(),
  };
}

export const CHAT_HELP = [
  ...Object.entries(CHAT_COMMANDS).map(
    ([name, [args, meaning]]) => `${`/${name} ${args}`.padEnd(24)} ${meaning}`,
  ),
  'Tab completes commands, @names and #channels. Anything else is sent.',
  'To send a line that starts with /, put a space before it.',
].join('\n');
