import type { DaemonStatus } from '@agent-relay/sdk';
import { Trouble } from '../parts/trouble.tsx';

type Server = NonNullable<DaemonStatus['servers']>[number];

/** What is wrong with a server; its own error text is under the details. */
export function ServerProblem({ server: { health, error } }: { server: Server }) {
  if (error === undefined) return null;
  const problem =
    health === 'degraded'
      ? { message: 'Connected, but some of it does not work.', next: 'See the details.' }
      : {
          message: 'It cannot be reached.',
          next: 'The daemon keeps trying; once the cause is fixed, Reconnect tries at once.',
        };
  return <Trouble problem={problem} details={error} />;
}

/** The file that lists the servers has an error, so an earlier version is in use. */
export const ServerListProblem = ({ error }: { error: string }) => (
  <Trouble
    problem={{
      message: 'The file that lists the MCP servers has an error; its last valid version is in use.',
      next: 'Correct the file; the daemon then reloads it.',
    }}
    details={error}
  />
);
