import { isRelayError, type OperationInput } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import type { PromptSource } from '../clis/adapter.ts';

/**
 * Tells the daemon which permission prompt is open, and passes a person's answer on to the CLI: only if the prompt that the
 * person saw is the one that is open now.
 */
export class PromptLink {
  readonly #relay: Relay;
  readonly #run: string;
  readonly #source: PromptSource;
  /** The prompt that the daemon knows of. */
  #told: string | undefined;

  constructor(relay: Relay, run: string, source: PromptSource) {
    this.#relay = relay;
    this.#run = run;
    this.#source = source;
    relay.on('terminal.command', ({ run: of, command }) => {
      if (of !== run || command.kind !== 'answer') return;
      const { request, digest, answer } = command;
      const isSent = source.prompt()?.digest === digest && source.answer(digest, answer);
      this.#report({ answered: { request, isSent } });
    });
  }

  /** Something may have changed. */
  look(): void {
    if (this.#source.prompt()?.digest !== this.#told) this.#report();
  }

  /** The daemon has been told of the run, on a new connection. */
  tellAgain(): void {
    if (this.#source.prompt() || this.#told !== undefined) this.#report();
  }

  #report(more: Pick<OperationInput<'PROMPT_REPORT'>, 'answered'> = {}): void {
    const prompt = this.#source.prompt();
    this.#told = prompt?.digest;
    if (this.#relay.state !== 'connected') return;
    this.#relay
      .request('PROMPT_REPORT', { run: this.#run, ...(prompt && { prompt }), ...more })
      .catch((error: unknown) => {
        // The daemon is away, or the run is over for it; it is told again when it is back.
        if (!isRelayError(error)) throw error;
      });
  }
}
