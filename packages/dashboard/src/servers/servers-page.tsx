import type { OperationResult } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { CommandLine } from '../parts/command.tsx';
import { tell } from '../parts/notices.tsx';
import { ToolTabs } from '../tools/tabs.tsx';
import { AddServer } from './add-server.tsx';
import { ServerCard } from './server-card.tsx';
import { ServerListProblem } from './server-problem.tsx';

const known = signal<OperationResult<'SERVERS'> | undefined>(undefined);

async function read(): Promise<void> {
  known.value = await relay().servers.list();
}

/** The daemon's MCP servers: health, tools and actions. */
export function ServersPage() {
  useEffect(() => {
    read().catch(tell);
    return model.value?.listen((events) => {
      if (events.some(({ type }) => type === 'servers.changed')) read().catch(tell);
    });
  }, [model.value]);
  const { servers = [], error, manageable = false } = known.value ?? {};
  return (
    <div class="place">
      <header class="place-head">
        <h1>Tools</h1>
        <ToolTabs />
        {manageable && servers.length > 0 && <AddServer onAdded={read} />}
      </header>
      {error && (
        <div class="banner-line is-bad">
          <ServerListProblem error={error} />
        </div>
      )}
      {known.value && servers.length === 0 && <NoServers />}
      <div class="server-cards">
        {servers.map((server) => (
          <ServerCard key={server.name} server={server} manageable={manageable} onChanged={read} />
        ))}
      </div>
      {!manageable && servers.length > 0 && (
        <p class="muted small">
          The setting <code>mcp.manageServers</code> is <code>nobody</code>: servers are added and removed in
          the file that lists them.
        </p>
      )}
    </div>
  );
}

const NoServers = () => (
  <section class="card empty">
    <h2>One MCP server for all agents</h2>
    <p>
      Servers of the daemon run once, however many agents use them. List them in a file, then restart the
      daemon with it:
    </p>
    <CommandLine>{'echo \'{"servers": []}\' > mcp-servers.json'}</CommandLine>
    <CommandLine>agent-relay restart --mcp-servers mcp-servers.json</CommandLine>
    <p class="muted">After that you can add servers here by their address.</p>
  </section>
);
