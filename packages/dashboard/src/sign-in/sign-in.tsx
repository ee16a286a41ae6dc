import { refusal } from '../connection/connection.ts';
import { CommandLine } from '../parts/command.tsx';
import { Mark } from '../shell/mark.tsx';
import { storedSession } from './session.ts';

/** Shown without a session: how to get one. */
export function SignIn() {
  const refused = refusal.value;
  return (
    <main class="sign-in">
      <section class="sign-in-card" aria-labelledby="sign-in-title">
        <Mark />
        <h1 id="sign-in-title">{refused ? refused.message : 'Sign in to Agent Relay'}</h1>
        <p>
          {refused
            ? 'Links work once, for a few minutes. Get a new one in a terminal on the daemon’s machine:'
            : 'Run this in a terminal on the daemon’s machine. It opens this page and signs you in:'}
        </p>
        <CommandLine>agent-relay dashboard</CommandLine>
        {refused && storedSession() !== undefined && (
          <p>
            This browser is signed in already.{' '}
            <button type="button" onClick={() => location.reload()}>
              Open the dashboard
            </button>
          </p>
        )}
        <p class="muted">
          To sign in on another device, print the link with <code>agent-relay dashboard --no-open</code> and
          open it there. This browser then stays signed in until you sign out or revoke it.
        </p>
      </section>
    </main>
  );
}
