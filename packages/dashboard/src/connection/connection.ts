import { connect, isRelayError, type Relay, RelayError, type WelcomePayload } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { forgetSession, storedSession } from '../sign-in/session.ts';

/** `away`: the daemon does not answer; the page keeps trying. */
export type Phase = 'signed-out' | 'connecting' | 'live' | 'away';

export const phase = signal<Phase>('connecting');
export const welcome = signal<WelcomePayload | undefined>(undefined);
/** Why the page was signed out, shown to the person. */
export const refusal = signal<RelayError | undefined>(undefined);
/** Time of the next attempt, in milliseconds since 1970. */
export const nextAttemptAt = signal<number | undefined>(undefined);

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 10_000;

let current: Relay | undefined;
/** Incremented by each `open`; callbacks of earlier ones are ignored. */
let generation = 0;

/** The connection; throws if there is none yet. */
export function relay(): Relay {
  if (!current) throw new Error('The page is not connected.');
  return current;
}

/** The connection, for what a person decides now. While the daemon is away it throws: nothing is kept for later. */
export function relayNow(): Relay {
  if (phase.peek() === 'live') return relay();
  throw new RelayError('Connection', 'The daemon does not answer. Nothing was sent.', {
    next: 'Decide again when it is back.',
  });
}

/** Connects to a project, by default the one the session was opened in; keeps trying while the daemon is away. */
export async function open(project: string | undefined, onLive: (relay: Relay) => void): Promise<void> {
  const mine = ++generation;
  await current?.close();
  current = undefined;
  phase.value = 'connecting';
  for (let delayMs = FIRST_RETRY_MS; mine === generation; delayMs = Math.min(delayMs * 2, LAST_RETRY_MS)) {
    const session = storedSession();
    if (session === undefined) return signedOut();
    try {
      const opened = await connect({
        url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
        page: { session, ...(project === undefined ? {} : { project }) },
        client: { name: 'dashboard', version: VERSION },
        notify: true,
        reconnect: { maxDelayMs: LAST_RETRY_MS },
      });
      if (mine !== generation) return void opened.close();
      follow(opened, mine, onLive);
      return;
    } catch (error) {
      if (mine !== generation) return;
      if (isRelayError(error, 'Unauthorized')) return signedOut(error);
      // The project in the address may have been renamed or removed.
      if (isRelayError(error, 'ProjectNotFound')) project = undefined;
      phase.value = 'away';
      await pause(delayMs);
    }
  }
}

function follow(opened: Relay, mine: number, onLive: (relay: Relay) => void): void {
  current = opened;
  const live = () => {
    welcome.value = opened.welcome;
    nextAttemptAt.value = undefined;
    phase.value = 'live';
  };
  opened.on('connected', live);
  opened.on('disconnected', () => {
    if (mine === generation) phase.value = 'away';
  });
  opened.on('reconnecting', ({ delayMs }) => {
    nextAttemptAt.value = Date.now() + delayMs;
  });
  opened.on('closed', (error) => {
    if (mine !== generation || error === undefined) return;
    if (error.code === 'Unauthorized')
      signedOut(new RelayError('Unauthorized', 'This browser was signed out.'));
    else phase.value = 'away';
  });
  live();
  onLive(opened);
}

/** This browser is not, or no longer, signed in. */
function signedOut(error?: RelayError): void {
  forgetSession();
  current = undefined;
  welcome.value = undefined;
  refusal.value = error;
  phase.value = 'signed-out';
}

/** Ends the connection and forgets the session. */
export function leave(): void {
  generation++;
  const leaving = current;
  signedOut();
  void leaving?.close();
}

function pause(delayMs: number): Promise<void> {
  nextAttemptAt.value = Date.now() + delayMs;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    // Retry at once when the page becomes visible or the network is back.
    for (const event of ['online', 'focus']) {
      addEventListener(
        event,
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    }
  });
}
