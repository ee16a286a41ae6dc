import type { ComponentChildren } from 'preact';

/** An error to show: of the relay, or any other. */
export interface Problem {
  message: string;
  next?: string;
  code?: string;
  /** Facts for programs: which field it is about. */
  details?: { field?: string };
}

/** An error: what happened, what to do, and on demand its code or original text. */
export const Trouble = ({
  problem: { message, next, code },
  details,
}: {
  problem: Problem;
  /** What a program or another server said about it. */
  details?: ComponentChildren;
}) => (
  <div class="trouble">
    <p>
      {message} {next && <span class="trouble-next">{next}</span>}
    </p>
    {(details ?? code) && (
      <details class="trouble-more">
        <summary>Details</summary>
        {details && <p class="trouble-details">{details}</p>}
        {code && (
          <p>
            Error <code>{code}</code>
          </p>
        )}
      </details>
    )}
  </div>
);
