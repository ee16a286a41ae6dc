import { isRelayError, type OperationInput, type PromptAnswer } from '@agent-relay/protocol';
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
      const { request, key, answer } = command;
      void this.#answer(key, answer).then((isSent) => this.#report({ answered: { request, isSent } }));
    });
  }

  async #answer(key: string, answer: PromptAnswer): Promise<boolean> {
    const prompt = this.#source.prompt();
    if (prompt?.key !== key) return false;
    // Nobody elsewhere has read what is too long.
    if (prompt.ask === undefined && answer === 'allow') return false;
    return this.#source.answer(key, answer);
  }

  /** Something may have changed. */
  look(): void {
    if (this.#source.prompt()?.key !== this.#told) this.#report();
  }

  /** The daemon has been told of the run, on a new connection. */
  tellAgain(): void {
    if (this.#source.prompt() || this.#told !== undefined) this.#report();
  }

  #report(more: Pick<OperationInput<'PROMPT_REPORT'>, 'answered'> = {}): void {
    const prompt = this.#source.prompt();
    this.#told = prompt?.key;
    if (this.#relay.state !== 'connected') return;
    this.#relay
      .request('PROMPT_REPORT', { run: this.#run, ...(prompt && { prompt: told(prompt) }), ...more })
      .catch((error: unknown) => {
        // The daemon is gone, or considers the run over; the prompt is reported again after the reconnect.
        if (!isRelayError(error)) throw error;
      });
  }
}

const told = ({ key, ask }: OpenPrompt) => ({ key, ...(ask && { ask }) });
