import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** How far back a client that lost its stream can go on. */
const KEPT_EVENTS = 256;

/** The last events of one session, so that a stream that broke is resumed where it was. */
export class EventLog implements EventStore {
  readonly #events: Array<{ number: number; streamId: string; message: JSONRPCMessage }> = [];
  #last = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    this.#events.push({ number: this.#last, streamId, message });
    if (this.#events.length > KEPT_EVENTS) this.#events.shift();
    return `${this.#last}.${streamId}`;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return parse(eventId)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const { number: after = 0, streamId = '' } = parse(lastEventId) ?? {};
    for (const { number, streamId: stream, message } of [...this.#events]) {
      // The first event of a stream is empty: it only gives the client an id to resume from.
      const isEmpty = Object.keys(message).length === 0;
      if (stream === streamId && number > after && !isEmpty) await send(`${number}.${stream}`, message);
    }
    return streamId;
  }
}

function parse(eventId: string): { number: number; streamId: string } | undefined {
  const [, number, streamId] = /^(\d+)\.(.+)$/.exec(eventId) ?? [];
  return number === undefined || streamId === undefined ? undefined : { number: Number(number), streamId };
}
