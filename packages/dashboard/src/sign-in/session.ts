import { RelayError } from '@agent-relay/sdk';

/** Stored per origin, hence per port: unlike a cookie, it is never sent to another server of this machine. */
const KEY = 'agent-relay.session';

export const storedSession = (): string | undefined => localStorage.getItem(KEY) ?? undefined;
export const keepSession = (session: string): void => localStorage.setItem(KEY, session);
export const forgetSession = (): void => localStorage.removeItem(KEY);

/** The public id of a session, used to list and revoke it. */
export const sessionId = (session: string): string => session.split('_')[1] ?? '';

/** The code of a one-time link. Removed from the URL at once, so that it stays out of the history. */
export function takeCode(): string | undefined {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(null, '', location.pathname);
  return code;
}

const WANTED = 'agent-relay.wanted';

/** Stores the current place of this tab, to return to it after signing in. */
export function noteWanted(): void {
  if (location.hash.startsWith('#/')) sessionStorage.setItem(WANTED, location.hash);
}

/** The place of this tab before it had to sign in. */
export function takeWanted(): string | undefined {
  const wanted = sessionStorage.getItem(WANTED) ?? undefined;
  sessionStorage.removeItem(WANTED);
  return wanted;
}

/** Exchanges the code for a session. */
export async function signIn(code: string): Promise<{ session: string; project: string }> {
  const response = await fetch('/api/page/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const answer = await response.json();
  if (!response.ok) throw RelayError.fromPayload(answer.error);
  return answer;
}
