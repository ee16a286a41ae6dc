/** Who has read what this person wrote, as far as it was heard. */
export class ReadMarks {
  readonly #readers = new Map<string, Set<string>>();
  readonly #recipients = new Map<string, number>();

  /** A message was sent to so many; returns what there is to say of it already. */
  sent(id: string, recipients: number): string | undefined {
    this.#recipients.set(id, recipients);
    return this.#told(id);
  }

  /**
   * Somebody has read a message, which may be known before the answer to its sending. Returns what there is to say: of a
   * message to many only when all of them have read it.
   */
  read(id: string, agent: string): string | undefined {
    const readers = this.#readers.get(id) ?? new Set();
    this.#readers.set(id, readers.add(agent));
    return this.#told(id);
  }

  #told(id: string): string | undefined {
    const readers = this.#readers.get(id);
    const recipients = this.#recipients.get(id);
    if (readers === undefined || recipients === undefined || readers.size < recipients) return undefined;
    this.#readers.delete(id);
    this.#recipients.delete(id);
    return readers.size === 1 ? `read by ${[...readers][0]}` : `read by all ${readers.size}`;
  }
}
