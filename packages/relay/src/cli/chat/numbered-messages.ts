import { RelayError } from '@agent-relay/protocol';

interface Shown {
  id: string;
  isOwn: boolean;
}

/** The messages of a chat by the numbers shown on screen, so that nobody has to type ids. */
export class NumberedMessages {
  readonly #shown: Shown[] = [];
  readonly #numbers = new Map<string, number>();

  /** Assigns a number to a message, once. */
  add(id: string, isOwn: boolean): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.#shown.push({ id, isOwn });
    this.#numbers.set(id, number);
    return number;
  }

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  /** The message with a number; by default the latest of the person, or of others. */
  find(number: string | undefined, latest: 'own' | 'others'): string {
    const found =
      number === undefined
        ? this.#shown.findLast(({ isOwn }) => isOwn === (latest === 'own'))
        : this.#shown[Number(number) - 1];
    if (found) return found.id;
    throw new RelayError(
      'MessageNotFound',
      number === undefined ? 'There is no message yet.' : `There is no message ${number} here.`,
      { next: 'Use a number shown in brackets.' },
    );
  }
}
