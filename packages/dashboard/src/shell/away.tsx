import { nextAttemptAt, phase } from '../connection/connection.ts';
import { Icon } from '../parts/icon.tsx';

/** Says so when the daemon does not answer: what is on the page is then what was last known. */
export const Away = () => (
  <div role="status" aria-live="polite">
    {phase.value === 'away' && (
      <p class="banner is-away">
        <Icon name="alert" />
        <span>
          The daemon does not answer. What you see may be old; the page comes back by itself
          {nextAttemptAt.value === undefined ? '.' : ' as soon as the daemon does.'} If it was stopped, start
          it with <code>agent-relay daemon start</code>.
        </span>
      </p>
    )}
  </div>
);
