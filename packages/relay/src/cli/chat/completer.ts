import { CHAT_COMMANDS } from './chat-commands.ts';

/** The names that can be completed; a list that cannot be fetched is empty. */
export interface ChatNames {
  agents(): Promise<string[]>;
  /** With `#`. */
  channels(): Promise<string[]>;
}

/** The completions at the end of a line, and the part of the line they replace. */
export async function completeLine(line: string, names: ChatNames): Promise<[hits: string[], part: string]> {
  const [, command, argument] = /^\/(\S*)(?:\s+(\S*))?$/.exec(line) ?? [];
  if (command !== undefined && argument === undefined) {
    return matching(
      Object.keys(CHAT_COMMANDS).map((name) => `/${name} `),
      `/${command}`,
    );
  }
  if (command === 'join' && argument !== undefined) {
    return matching([...(await names.channels()), ...(await names.agents())], argument);
  }
  const word = /\S*$/.exec(line)?.[0] ?? '';
  if (word.startsWith('@')) {
    return matching(
      (await names.agents()).map((name) => `@${name} `),
      word,
    );
  }
  return word.startsWith('#') ? matching(await names.channels(), word) : [[], word];
}

const matching = (words: string[], part: string): [string[], string] => [
  words.filter((word) => word.toLowerCase().startsWith(part.toLowerCase())),
  part,
];
