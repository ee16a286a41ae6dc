import { RelayError } from '@agent-relay/sdk';

/** Per origin, and so per port: unlike a cookie, no other server of this machine ever gets it. */
const KEY = 'agent-relay.session';

export const storedSession = (): string | undefined => localStorage.getItem(KEY) ?? undefined;
export const keepSession = (session: string): void => localStorage.setItem(KEY, session);
export const forgetSession = (): void => localStorage.removeItem(KEY);

/** The public part of a session, by which it is listed and revoked. */
export const sessionId = (session: string): string => session.split('_')[1] ?? '';

/** The code of a one-time link. It is taken out of the address at once, so that no history keeps it. */
export function takeCode(): string | undefined {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(null, '', location.pathname);
  return code;
}

const WANTED = 'agent-relay.wanted';

/** Keeps where this tab is, for after the sign-in. */
export function noteWanted(): void {
  if (location.hash.startsWith('#/')) sessionStorage.setItem(WANTED, location.hash);
}

/** Where this tab was before it had to sign in. */
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
