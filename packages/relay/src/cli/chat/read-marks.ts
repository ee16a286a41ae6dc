/** Who has read this person's messages, as far as known. */
export class ReadMarks {
  readonly #readers = new Map<string, Set<string>>();
  readonly #recipients = new Map<string, number>();

  /** A message was sent to this many recipients; returns a note if it was already read. */
  sent(id: string, recipients: number): string | undefined {
    this.#recipients.set(id, recipients);
    return this.#told(id);
  }

  /**
   * A recipient has read a message; this may arrive before the answer to the SEND. Returns a note; for a
   * message to many only once all have read it.
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
