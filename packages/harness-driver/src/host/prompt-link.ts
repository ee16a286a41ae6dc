import {
  isRelayError,
  type OperationInput,
  PROMPT_TEXT_LIMIT,
  type PromptAnswer,
} from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import type { OpenPrompt, PromptSource } from '../clis/adapter.ts';

/**
 * Reports the open permission prompt to the daemon, and passes on a person's answer: only if the prompt that the
 * person saw is the one that is open now.
 */
export class PromptLink {
  readonly #relay: Relay;
  readonly #run: string;
  readonly #source: PromptSource;
  /** The prompt the daemon knows of. */
  #told: string | undefined;

  constructor(relay: Relay, run: string, source: PromptSource) {
    this.#relay = relay;
    this.#run = run;
    this.#source = source;
    relay.on('terminal.command', ({ run: of, command }) => {
      if (of !== run || command.kind !== 'answer') return;
      const { request, digest, answer } = command;
      void this.#answer(digest, answer).then((isSent) => this.#report({ answered: { request, isSent } }));
    });
  }

  async #answer(digest: string, answer: PromptAnswer): Promise<boolean> {
    return this.#open()?.digest === digest && (await this.#source.answer(digest, answer));
  }

  /** The prompt, if a person can read all of it. */
  #open(): OpenPrompt | undefined {
    const prompt = this.#source.prompt();
    return prompt && prompt.text.length <= PROMPT_TEXT_LIMIT ? prompt : undefined;
  }

  /** Something may have changed. */
  look(): void {
    if (this.#open()?.digest !== this.#told) this.#report();
  }

  /** The daemon has been told of the run, on a new connection. */
  tellAgain(): void {
    if (this.#open() || this.#told !== undefined) this.#report();
  }

  #report(more: Pick<OperationInput<'PROMPT_REPORT'>, 'answered'> = {}): void {
    const prompt = this.#open();
    this.#told = prompt?.digest;
    if (this.#relay.state !== 'connected') return;
    this.#relay
      .request('PROMPT_REPORT', { run: this.#run, ...(prompt && { prompt }), ...more })
      .catch((error: unknown) => {
        // The daemon is gone, or considers the run over; the prompt is reported again after the reconnect.
        if (!isRelayError(error)) throw error;
      });
  }
}
