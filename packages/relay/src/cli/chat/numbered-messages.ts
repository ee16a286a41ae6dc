import { RelayError } from '@agent-relay/protocol';

interface Shown {
  id: string;
  isOwn: boolean;
}

/** The messages of a chat, by the numbers on the screen: nobody types an id. */
export class NumberedMessages {
  readonly #shown: Shown[] = [];
  readonly #numbers = new Map<string, number>();

  /** Gives a message its number, the first time. */
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

  /** The message of a number, or without one the latest of the person, or of others. */
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
