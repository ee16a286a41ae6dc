import { BackendError, CallAborted } from '../../backend/failures.ts';
import { type JsonMembers, stringFrom, toJson } from '../../json/raw-json.ts';
import type { Outlet } from './call.ts';
import { requestMessage } from './messages.ts';

/** Requests to a legacy client, and its answers. */
export class Questions {
  readonly #open = new Map<string, PromiseWithResolvers<Buffer>>();
  #count = 0;

  /** Resolves with the bytes of the client's result. */
  async ask(
    outlet: Outlet,
    method: string,
    params: Buffer | undefined,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const id = `relay-${++this.#count}`;
    const question = Promise.withResolvers<Buffer>();
    const withdraw = () => question.reject(new CallAborted('the question was withdrawn'));
    this.#open.set(id, question);
    signal.addEventListener('abort', withdraw, { once: true });
    outlet.send(requestMessage(toJson(id), method, params ?? toJson({})));
    try {
      return await question.promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#open.delete(id);
    }
  }

  /** A flawed answer is rejected. */
  answered(id: Buffer, members: JsonMembers, flaw: string | undefined): void {
    const question = this.#open.get(stringFrom(id) ?? '');
    const result = members.get('result');
    const error = members.get('error');
    if (flaw !== undefined) question?.reject(new Error(`the client's answer is refused: ${flaw}`));
    else if (result) question?.resolve(result);
    else if (error) question?.reject(new BackendError(error));
  }

  close(): void {
    for (const question of this.#open.values()) question.reject(new Error('the client disconnected'));
  }
}
