import type { PromptAnswer, PromptInfo } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { allPages } from '../pages.ts';

/** Permission prompts of agents that can be answered outside their terminal, for the owner and people. */
export class Prompts {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  async list(): Promise<PromptInfo[]> {
    return allPages(async (cursor) => {
      const { prompts, next } = await this.#session.request('PROMPT_LIST', { cursor });
      return { entries: prompts, next };
    });
  }

  /** Answers the prompt that was seen; fails with `PromptChanged` if it is no longer open. */
  async answer({ agent, digest }: Pick<PromptInfo, 'agent' | 'digest'>, answer: PromptAnswer): Promise<void> {
    await this.#session.request('PROMPT_ANSWER', { agent, digest, answer });
  }
}
