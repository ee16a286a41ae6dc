import { randomUUID } from 'node:crypto';
import { RelayError } from '@agent-relay/protocol';
import { hasOption, type OptionForms, withoutPrompt } from './options.ts';

/** How a CLI's conversation is named, and resumed in a later run. */
export interface Resumption {
  readonly options: OptionForms;
  /** The arguments that give a new conversation this id; without it, the CLI chooses one. */
  begin?(id: string): string[];
  /** The arguments that resume a conversation. */
  resume(id: string): string[];
  /** What the CLI has stored of it. Default: its messages. */
  stored?(id: string, env: NodeJS.ProcessEnv): Promise<Stored>;
  /** Watches which conversation a running CLI is in, if nothing else reports it, until the returned function is called. */
  watch?(program: WatchedProgram, onSession: (id: string) => void): () => void;
}

/** Messages to go on with; nothing at all; or only notes, so that the CLI neither resumes it nor takes the id for a new one. */
export type Stored = 'messages' | 'nothing' | 'notes';

export interface WatchedProgram {
  pid: number;
  env: NodeJS.ProcessEnv;
}

export interface Begun {
  /** The arguments of the CLI. */
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
  const { begin, options } = resumption;
  const stored = (await resumption.stored?.(resume, env)) ?? 'messages';
  const rest = withoutPrompt(given, options);
  if (stored === 'messages' || !begin)
    return { args: [...resumption.resume(resume), ...rest], session: resume };
  // It ended before its first message was stored: begin it now.
  const session = stored === 'nothing' ? resume : randomUUID();
  return { args: [...begin(session), ...rest], session };
}
