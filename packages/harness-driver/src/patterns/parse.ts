/** What an agent asked for by writing a line. */
export type PatternCommand =
  | { do: 'send'; to: string; body: string }
  | { do: 'spawn'; name: string; cli: string; task: string }
  | { do: 'release'; name: string }
  | { do: 'discover'; capability: string }
  | { do: 'call'; target: string; tool: string; args: string };

/** A line that begins a command; `open` if the body goes on in the next lines, up to one with `>>>` alone. */
export interface PatternLine {
  command: PatternCommand;
  open: boolean;
}

/** More than this of one command is not read: a message may not be longer either. */
export const MOST_PATTERN_CHARACTERS = 64 * 1024;

const OPENING = '<<<';
export const isClosing = (line: string): boolean => line.trim() === '>>>';

/**
 * Reads one line that an agent wrote. Undefined if it is no command, or an incomplete one: what an agent says about
 * commands is not one. Every step is a search for a fixed text, so a hostile line costs no more than its length.
 */
export function parsePattern(line: string): PatternLine | undefined {
  if (line.startsWith('->relay:')) return parseRelay(line.slice('->relay:'.length));
  if (line.startsWith('->mcp:')) return parseCall(line.slice('->mcp:'.length));
  return undefined;
}

function parseRelay(text: string): PatternLine | undefined {
  const [target, rest] = firstWord(text);
  switch (target) {
    case '':
      return undefined;
    case 'spawn': {
      const [name, afterName] = firstWord(rest);
      const [cli, task] = firstWord(afterName);
      if (name === '' || cli === '') return undefined;
      return withBody(task, (body) => ({ do: 'spawn', name, cli, task: body }), { mayBeEmpty: true });
    }
    case 'release':
      return isOneWord(rest) ? { command: { do: 'release', name: rest }, open: false } : undefined;
    case 'discover': {
      const capability = rest.startsWith('capability:') ? rest.slice('capability:'.length).trim() : rest;
      return isOneWord(capability) ? { command: { do: 'discover', capability }, open: false } : undefined;
    }
    default:
      return isAddress(target) ? withBody(rest, (body) => ({ do: 'send', to: target, body })) : undefined;
  }
}

/** `server.tool arguments`, or `server tool arguments`. */
function parseCall(text: string): PatternLine | undefined {
  const [first, rest] = firstWord(text);
  const dot = first.indexOf('.');
  const [target, tool, args] =
    dot < 0 ? [first, ...firstWord(rest)] : [first.slice(0, dot), first.slice(dot + 1), rest];
  if (!isName(target) || !isName(tool)) return undefined;
  return withBody(args, (body) => ({ do: 'call', target, tool, args: body }), { mayBeEmpty: true });
}

function withBody(
  text: string,
  command: (body: string) => PatternCommand,
  { mayBeEmpty = false } = {},
): PatternLine | undefined {
  if (text === OPENING) return { command: command(''), open: true };
  if (text === '' && !mayBeEmpty) return undefined;
  return { command: command(text.slice(0, MOST_PATTERN_CHARACTERS)), open: false };
}

/** The command with the lines that followed it, in the place of its body. */
export function withLines(command: PatternCommand, lines: readonly string[]): PatternCommand {
  const body = lines.join('\n').slice(0, MOST_PATTERN_CHARACTERS);
  switch (command.do) {
    case 'send':
      return { ...command, body };
    case 'spawn':
      return { ...command, task: body };
    case 'call':
      return { ...command, args: body };
    default:
      return command;
  }
}

function firstWord(text: string): [word: string, rest: string] {
  const end = text.indexOf(' ');
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1).trim()];
}

/** `*`, `#channel`, `Name` or `Name@project`; whether there is such a thing, the relay says. */
const isAddress = (word: string): boolean => word === '*' || isName(word.startsWith('#') ? word.slice(1) : word);

const isName = (word: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}_.@/-]{0,127}$/u.test(word);

const isOneWord = (text: string): boolean => isName(text);
