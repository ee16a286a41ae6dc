import { type Relay, RelayError } from '@agent-relay/sdk';

/** Waits for a lost connection. */
export function returned(relay: Relay, waitMs: number): Promise<Relay> {
  const { promise, resolve, reject } = Promise.withResolvers<Relay>();
  const gone = () => reject(new RelayError('DaemonNotRunning', 'The daemon no longer responds.'));
  const timer = setTimeout(gone, waitMs);
  const stops = [
    relay.on('connected', () => resolve(relay)),
    relay.on('closed', (error) => (error ? reject(error) : gone())),
  ];
  return promise.finally(() => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  });
}
