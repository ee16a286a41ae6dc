import { nextAttemptAt, phase } from '../connection/connection.ts';
import { Icon } from '../parts/icon.tsx';

/** Says that the daemon does not answer, and that the page may be out of date. */
export const Away = () => (
  <div role="status" aria-live="polite">
    {phase.value === 'away' && (
      <p class="banner is-away">
        <Icon name="alert" />
        <span>
          The daemon does not answer. What you see may be out of date; the page reconnects
          {nextAttemptAt.value === undefined ? '.' : ' as soon as it is back.'} If it was stopped, start it
          with <code>agent-relay daemon start</code>.
        </span>
      </p>
    )}
  </div>
);
