import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import { repliedTo } from '../../server/messages.ts';
import type { AfterReply } from './replies.ts';

/** How far back a client that lost its stream can resume; the newest event is always kept. */
const KEPT_EVENTS = 256;
const KEPT_BYTES = 1024 * 1024;

interface StoredEvent {
  number: number;
  streamId: string;
  message: JSONRPCMessage;
  bytes: number;
}

/**
 * The last events of one session, so that a lost stream can be resumed. A stream whose reply was
 * written completely is not resumed, so its events are dropped.
 */
export class EventLog implements EventStore {
  readonly #afterReply: (action: AfterReply) => void;
  #events: StoredEvent[] = [];
  #bytes = 0;
  #last = 0;

  /** `afterReply` calls a function when the response to the current request has ended. */
  constructor(afterReply: (action: AfterReply) => void) {
    this.#afterReply = afterReply;
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const bytes = Buffer.byteLength(JSON.stringify(message));
    this.#events.push({ number: this.#last, streamId, message, bytes });
    this.#bytes += bytes;
    while (this.#events.length > KEPT_EVENTS || (this.#bytes > KEPT_BYTES && this.#events.length > 1)) {
      this.#bytes -= this.#events.shift()?.bytes ?? 0;
    }
    if (repliedTo(message)) {
      this.#afterReply(async (written) => {
        if (written) this.#forget(streamId);
      });
    }
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

  #forget(streamId: string): void {
    this.#events = this.#events.filter((event) => event.streamId !== streamId);
    this.#bytes = this.#events.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

function parse(eventId: string): { number: number; streamId: string } | undefined {
  const [, number, streamId] = /^(\d+)\.(.+)$/.exec(eventId) ?? [];
  return number === undefined || streamId === undefined ? undefined : { number: Number(number), streamId };
}
