import type { DaemonStatus } from '@agent-relay/sdk';
import { Trouble } from '../parts/trouble.tsx';

type Server = NonNullable<DaemonStatus['servers']>[number];

/** What is wrong with a server, in our words; what it or its connection said is under the details. */
export function ServerProblem({ server: { health, error } }: { server: Server }) {
  if (error === undefined) return null;
  const problem =
    health === 'degraded'
      ? { message: 'Connected, but not all of it works.', next: 'The details say what.' }
      : {
          message: 'It cannot be reached.',
          next: 'The daemon keeps trying; after you fixed the cause, Reconnect tries at once.',
        };
  return <Trouble problem={problem} details={error} />;
}

/** The file that lists the servers is not in use as it is now. */
export const ServerListProblem = ({ error }: { error: string }) => (
  <Trouble
    problem={{
      message: 'The file that lists the MCP servers has a mistake; its last valid version is in use.',
      next: 'Correct the file; the daemon then reads it again.',
    }}
    details={error}
  />
);
