import { z } from 'zod';
import { PROMPT_TEXT_LIMIT } from '../vocabulary.ts';
import { clientId } from '../wire/payloads.ts';
import { cursor, type Nothing, name, result } from './define.ts';

/** A permission prompt of an agent's CLI that can be answered through an interface of that CLI. */
export interface PromptInfo {
  agent: string;
  /** Identifies this prompt. */
  digest: string;
  /** What the agent wants to do, for a person. */
  text: string;
  since: number;
}

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');
const answer = z.enum(['allow', 'deny']);
export type PromptAnswer = z.infer<typeof answer>;

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
  /** From the host: the prompt that is open now, if there is one, and whether an answer that it was given was passed on. */
  PROMPT_REPORT: {
    params: z
      .object({
        run: clientId,
        prompt: z
          .object({ digest, text: z.string().max(PROMPT_TEXT_LIMIT) })
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
