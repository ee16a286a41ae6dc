import { allComplete, type Pair } from './pairs.ts';

/**
 * Milliseconds from the time a message was due to its arrival, with messages due at a steady rate whatever happens to
 * those before: one that is sent late, because the daemon or the generator was busy, counts from when it was due.
 */
export async function measureLatencyAt(rate: number, pairs: Pair[], ms: number): Promise<number[]> {
  const total = Math.floor((rate * ms) / 1000);
  const latencies: number[] = [];
  const completion = allComplete(pairs);
  const startedAt = performance.now();
  const dueAt = (number: number) => startedAt + (number * 1000) / rate;
  let sent = 0;
  const checkAtTheEnd = () => sent === total && completion.check();
  pairs.forEach((pair, index) => {
    const before = pair.sent;
    pair.onAcknowledged = checkAtTheEnd;
    pair.onReceived = (count) => {
      // Messages rotate over the pairs, so that the position of a message in its pair gives its number.
      latencies.push(performance.now() - dueAt((count - before - 1) * pairs.length + index));
      checkAtTheEnd();
    };
  });
  const sendDue = () => {
    const now = performance.now();
    for (; sent < total && dueAt(sent) <= now; sent++) pairs[sent % pairs.length]?.send();
    if (sent < total) setTimeout(sendDue, 1);
  };
  sendDue();
  await completion.reached;
  return latencies;
}
