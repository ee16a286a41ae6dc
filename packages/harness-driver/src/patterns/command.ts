/** A command in an agent's text. */
export type Command =
  | { kind: 'send'; to: string; thread?: string; body: string }
  | { kind: 'spawn'; name: string; cli: string; task: string }
  | { kind: 'release'; name: string }
  | { kind: 'discover'; capability?: string; tool?: string }
  | { kind: 'call'; server: string; tool: string; args: string }
  /** Looks like a command but is invalid. */
  | { kind: 'mistake'; line: string; problem: string; next: string };

const HEAD = /^->(relay|mcp):(\S+)(?:\s+([\s\S]*))?$/;
const THREAD = /^\[thread:([^\]\s]+)\]\s*/;
/** Longer texts are abbreviated when quoted. */
const MOST_QUOTED = 80;

/** Whether a line begins with a command. */
export const isCommand = (line: string): boolean => /^->(?:relay|mcp):\S/.test(line);

/** Parses a text as a command; its arguments may span several lines. */
export function parseCommand(text: string): Command | undefined {
  const [, family, head = '', rest = ''] = HEAD.exec(text) ?? [];
  if (family === undefined) return undefined;
  const words = rest.trim();
  const command = family === 'mcp' ? parseCall(head, words) : parseRelay(head, words);
  if (!('problem' in command)) return command;
  const [line = ''] = text.split('\n');
  return { kind: 'mistake', line: line.slice(0, MOST_QUOTED), ...command };
}

interface Problem {
  problem: string;
  next: string;
}

function parseRelay(head: string, words: string): Command | Problem {
  switch (head.toLowerCase()) {
    case 'spawn': {
      const [name, cli, task] = split(words, 3);
      return name && cli
        ? { kind: 'spawn', name, cli, task }
        : { problem: 'The agent name or the CLI is missing.', next: '->relay:spawn Name cli task' };
    }
    case 'release': {
      const [name, more] = split(words, 2);
      return name && !more
        ? { kind: 'release', name }
        : { problem: 'It must name one agent.', next: '->relay:release Name' };
    }
    case 'discover':
      return parseDiscover(words);
  }
  const thread = THREAD.exec(words);
  const body = words.slice(thread?.[0].length ?? 0);
  if (body === '')
    return { problem: 'The message is missing.', next: `->relay:${head.slice(0, 64)} message` };
  return { kind: 'send', to: head, ...(thread?.[1] !== undefined && { thread: thread[1] }), body };
}

function parseDiscover(words: string): Command | Problem {
  const wanted: { capability?: string; tool?: string } = {};
  for (const word of words.split(/\s+/).filter((one) => one !== '')) {
    const [, key, value] = /^(capability|tool):(\S+)$/.exec(word) ?? [];
    if (value === undefined)
      return {
        problem: `"${word.slice(0, 64)}" is not a filter.`,
        next: '->relay:discover capability:name',
      };
    if (key === 'tool') wanted.tool = value;
    else wanted.capability = value;
  }
  return { kind: 'discover', ...wanted };
}

function parseCall(head: string, words: string): Command | Problem {
  const dot = head.indexOf('.');
  const [first, others] = split(words, 2);
  const [server, tool, args] =
    dot < 0 ? [head, first, others] : [head.slice(0, dot), head.slice(dot + 1), words];
  return server && tool
    ? { kind: 'call', server, tool, args }
    : { problem: 'The tool name is missing.', next: '->mcp:server.tool arguments' };
}

/** Splits off the first words; the last one takes the rest. */
function split(text: string, count: 2): [string, string];
function split(text: string, count: 3): [string, string, string];
function split(text: string, count: number): string[] {
  const words: string[] = [];
  let rest = text;
  while (words.length < count - 1) {
    const end = rest.search(/\s|$/);
    words.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...words, rest];
}
