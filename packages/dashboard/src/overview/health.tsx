import type { DaemonStatus } from '@agent-relay/sdk';
import { phase } from '../connection/connection.ts';
import { status } from '../model/project.ts';
import { Ago } from '../parts/time.tsx';

type Server = NonNullable<DaemonStatus['servers']>[number];

/** How the daemon and the MCP servers behind it are. */
export function Health() {
  const known = status.value;
  if (!known) return null;
  const { version, startedAt, database, connections, servers = [], serversError, unserved = [] } = known;
  return (
    <section class="card" aria-labelledby="health">
      <h2 id="health" class="card-head">
        Health
      </h2>
      <dl class="facts">
        <div>
          <dt>Daemon</dt>
          <dd>
            <span class={`dot is-${phase.value}`} /> {phase.value === 'live' ? 'Running' : 'Does not answer'}
            <span class="muted">
              {' '}
              · {version} · started <Ago time={startedAt} />
            </span>
          </dd>
        </div>
        <div>
          <dt>Storage</dt>
          <dd>{database === 'postgres' ? 'PostgreSQL' : 'SQLite'}</dd>
        </div>
        {connections !== undefined && (
          <div>
            <dt>Connections</dt>
            <dd>{connections.toLocaleString()}</dd>
          </div>
        )}
      </dl>
      {(servers.length > 0 || serversError) && <h3>MCP servers</h3>}
      {serversError && <p class="trouble">{serversError}</p>}
      <ul class="servers">
        {servers.map((server) => (
          <ServerRow key={server.name} server={server} />
        ))}
      </ul>
      {unserved.map(({ project, error }) => (
        <p key={project} class="trouble">
          Project {project} has no socket: {error.message} {error.next}
        </p>
      ))}
    </section>
  );
}

const ServerRow = ({ server: { name, health, tools, error } }: { server: Server }) => (
  <li>
    <span class={`dot is-${health}`} />
    <span class="server-name">{name}</span>
    <span class="muted">
      {health} · {tools} {tools === 1 ? 'tool' : 'tools'}
    </span>
    {error && <p class="trouble">{error}</p>}
  </li>
);
