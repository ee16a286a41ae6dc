import { FrameClient, uniqueName } from './frame-client.ts';
import type { Pair } from './pairs.ts';

export interface Waits {
  /** How long each INBOX, WHO and PING of a connection that writes nothing waited for its answer, in milliseconds. */
  inbox: number[];
  who: number[];
  heartbeat: number[];
  /** How long the messages of the others took meanwhile. */
  messages: number[];
}

/** Sends requests on its own connection repeatedly, while the pairs keep the disk busy. */
export async function measureWaits(socketPath: string, pairs: Pair[], ms: number): Promise<Waits> {
  const waits: Waits = { inbox: [], who: [], heartbeat: [], messages: [] };
  const { client } = await FrameClient.connect(socketPath, { name: uniqueName('reader'), paths: [] });
  const questions = [
    ['inbox', 'INBOX', {}],
    ['who', 'WHO', {}],
    ['heartbeat', 'PING', {}],
  ] as const;
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= ms;
  const writing = pairs.map((pair) => keepWriting(pair, waits.messages, isOver));
  const asking = async () => {
    while (!isOver()) {
      for (const [kind, type, payload] of questions) {
        const askedAt = performance.now();
        await client.ask(type, `${kind}-${waits[kind].length}`, payload);
        waits[kind].push(performance.now() - askedAt);
      }
      // A pause between the rounds: the requests should measure the load, not add to it.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  await Promise.all([asking(), ...writing]);
  client.close();
  return waits;
}

async function keepWriting(pair: Pair, latencies: number[], isOver: () => boolean): Promise<void> {
  const done = Promise.withResolvers<void>();
  let sentAt = performance.now();
  const sendNext = () => {
    if (!pair.isComplete) return;
    latencies.push(performance.now() - sentAt);
    if (isOver()) return done.resolve();
    sentAt = performance.now();
    pair.send();
  };
  pair.onReceived = sendNext;
  pair.onAcknowledged = sendNext;
  pair.send();
  await Promise.race([done.promise, pair.broken]);
}
