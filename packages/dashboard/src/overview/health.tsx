import type { DaemonStatus } from '@agent-relay/sdk';
import { phase, welcome } from '../connection/connection.ts';
import { status } from '../model/project.ts';
import { Ago } from '../parts/time.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { linkTo } from '../routes.ts';
import { HEALTH_WORDS } from '../servers/health-words.ts';
import { ServerMenu } from '../servers/server-menu.tsx';
import { ServerListProblem, ServerProblem } from '../servers/server-problem.tsx';

type Server = NonNullable<DaemonStatus['servers']>[number];

/** The health of the daemon and its MCP servers. */
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
      {serversError && <ServerListProblem error={serversError} />}
      <ul class="servers">
        {servers.map((server) => (
          <ServerRow key={server.name} server={server} />
        ))}
      </ul>
      {unserved.map(({ project, error }) => (
        <Trouble
          key={project}
          problem={{ ...error, message: `Project ${project} has no socket: ${error.message}` }}
        />
      ))}
    </section>
  );
}

const ServerRow = ({ server }: { server: Server }) => {
  const { name, health, tools } = server;
  return (
    <li data-row>
      <span class={`dot is-${health}`} />
      <a class="server-name" href={linkTo(welcome.value?.project ?? '', 'servers')}>
        {name}
      </a>
      <span class="muted">
        {HEALTH_WORDS[health]} · {tools} {tools === 1 ? 'tool' : 'tools'}
      </span>
      <ServerMenu name={name} />
      <ServerProblem server={server} />
    </li>
  );
};
