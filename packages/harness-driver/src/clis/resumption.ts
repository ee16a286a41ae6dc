import { randomUUID } from 'node:crypto';
import { RelayError } from '@agent-relay/protocol';
import { hasOption, type OptionForms, withoutPrompt } from './options.ts';

/** How a conversation of a CLI is named, and gone on with in a later run. */
export interface Resumption {
  readonly options: OptionForms;
  /** The arguments that give a new conversation this id; without it, the CLI chooses one. */
  begin?(id: string): string[];
  /** The arguments that go on with a conversation. */
  resume(id: string): string[];
  /** Whether anything was said in it: some CLIs store none before. */
  exists?(id: string, env: NodeJS.ProcessEnv): Promise<boolean>;
  /** Finds out which conversation a running CLI is in, where nothing else tells; until the function it returns is called. */
  watch?(program: WatchedProgram, onSession: (id: string) => void): () => void;
}

export interface WatchedProgram {
  pid: number;
  env: NodeJS.ProcessEnv;
}

export interface Begun {
  /** What the CLI is started with. */
  args: readonly string[];
  /** The conversation, if it is known before the CLI starts. */
  session?: string;
}

/** The arguments of a run in a new conversation, or in one of an earlier run. */
export async function beginConversation(
  word: string,
  resumption: Resumption | undefined,
  given: readonly string[],
  { resume, env }: { resume: string | undefined; env: NodeJS.ProcessEnv },
): Promise<Begun> {
  if (resume === undefined) {
    const isChosen = resumption && !hasOption(given, resumption.options);
    if (!isChosen || !resumption.begin) return { args: given };
    const id = randomUUID();
    return { args: [...resumption.begin(id), ...given], session: id };
  }
  if (!resumption)
    throw new RelayError('NotResumable', `The relay does not know how to resume ${word}.`, {
      next: 'Release the agent and spawn a new one.',
    });
  const { begin, exists, options } = resumption;
  const isThere = (await exists?.(resume, env)) ?? true;
  // It was ended before anything was said: it begins now.
  const words = isThere || !begin ? resumption.resume(resume) : begin(resume);
  return { args: [...words, ...withoutPrompt(given, options)], session: resume };
}
