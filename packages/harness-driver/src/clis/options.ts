/** The options of a CLI that matter for resuming a conversation. */
export interface OptionForms {
  /** Those with one value. */
  readonly valued: readonly string[];
  /** Those with any number of values, or an optional one. */
  readonly greedy?: readonly string[];
  /** Those that choose or start a conversation; not passed again. */
  readonly once: readonly string[];
  /** Words that are not options are not prompts either. */
  readonly keepsWords?: boolean;
}

/** Whether the person's arguments choose the conversation themselves, or are for a subcommand. */
export function hasOption(args: readonly string[], { once }: OptionForms): boolean {
  const [first = ''] = args;
  return /^[a-z][a-z-]*$/.test(first) || beforeRest(args).some((word) => once.includes(nameOf(word)));
}

/** The arguments without prompts and without options that choose a conversation. */
export function withoutPrompt(
  args: readonly string[],
  { valued, greedy = [], once, keepsWords = false }: OptionForms,
): string[] {
  const kept: string[] = [];
  const words = beforeRest(args);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!isOption(word)) {
      if (keepsWords) kept.push(word);
      continue;
    }
    const name = nameOf(word);
    let values: readonly string[] = [];
    if (!word.includes('=') && valued.includes(name)) values = words.slice(at + 1, at + 2);
    else if (!word.includes('=') && greedy.includes(name)) values = untilOption(words.slice(at + 1));
    at += values.length;
    if (!once.includes(name)) kept.push(word, ...values);
  }
  return kept;
}

const isOption = (word: string): boolean => /^-./.test(word);
const nameOf = (word: string): string => word.split('=')[0] ?? word;

function untilOption(words: readonly string[]): readonly string[] {
  const end = words.findIndex(isOption);
  return end === -1 ? words : words.slice(0, end);
}

/** Everything after `--` is not an option. */
function beforeRest(args: readonly string[]): readonly string[] {
  const rest = args.indexOf('--');
  return rest === -1 ? args : args.slice(0, rest);
}
