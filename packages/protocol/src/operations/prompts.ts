import { z } from 'zod';
import { PROMPT_TEXT_LIMIT } from '../vocabulary.ts';
import { clientId } from '../wire/payloads.ts';
import { cursor, type Nothing, name, result } from './define.ts';

/** A permission prompt of an agent's CLI that can be answered through an interface of that CLI. */
export interface PromptInfo {
  agent: string;
  /** Identifies exactly this prompt with exactly this text. */
  digest: string;
  /** What the agent wants to do, for a person: all of it, then what the agent says about it. */
  text: string;
  /** It is too long to be shown here, so it can be allowed only in its terminal. */
  tooLong?: true;
  since: number;
}

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');
const answer = z.enum(['allow', 'deny']);
export type PromptAnswer = z.infer<typeof answer>;

const text = z.string().max(PROMPT_TEXT_LIMIT);
/** The agent's own words about it. */
const description = text.optional();
/** `to`: where the file is moved. */
const change = z
  .object({ path: text, how: z.enum(['add', 'change', 'delete']), to: text.optional(), content: text })
  .strict();
const ask = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('command'), command: text, description }).strict(),
  z.object({ kind: z.literal('files'), changes: z.array(change).min(1).max(1000), description }).strict(),
  z.object({ kind: z.literal('tool'), tool: text, input: text, description }).strict(),
]);
/** What a permission prompt asks for. */
export type PromptAsk = z.infer<typeof ask>;

export const promptOperations = {
  /** The open prompts of the workspace; for people. */
  PROMPT_LIST: {
    params: z.object({ cursor: cursor.optional() }).strict(),
    result: result<{ prompts: PromptInfo[]; next?: string }>(),
  },
  /** A person's answer to the prompt with this digest; refused if another one is open by now. */
  PROMPT_ANSWER: {
    params: z.object({ agent: name, digest, answer }).strict(),
    result: result<Nothing>(),
  },
  /**
   * From the host: the prompt that is open now, if there is one, and whether an answer that it was given was passed on. `key`: by
   * which the host knows it; `ask` is absent if it is too long.
   */
  PROMPT_REPORT: {
    params: z
      .object({
        run: clientId,
        prompt: z
          .object({ key: z.string().min(1).max(128), ask: ask.optional() })
          .strict()
          .optional(),
        answered: z
          .object({ request: z.string().max(64), isSent: z.boolean() })
          .strict()
          .optional(),
      })
      .strict(),
    result: result<Nothing>(),
  },
} as const;
