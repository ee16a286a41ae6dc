import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { CommandLine } from '../parts/command.tsx';
import { tell } from '../parts/notices.tsx';
import { storedSession } from '../sign-in/session.ts';
import type { Tool } from './tool.ts';
import { ToolForm } from './tool-form.tsx';

interface Owner {
  name: string;
  kind: 'agent' | 'server';
  note: string;
  tools: Tool[];
}

const owners = signal<Owner[] | undefined>(undefined);
const chosen = signal<string | undefined>(undefined);

const shown = computed(() => {
  for (const owner of owners.value ?? [])
    for (const tool of owner.tools) if (`${owner.name}.${tool.name}` === chosen.value) return { owner, tool };
  return undefined;
});

async function read(): Promise<void> {
  const offers = await relay().discover();
  const agents = await Promise.all(
    offers.map(
      async ({ name, capabilities, tools }): Promise<Owner> => ({
        name,
        kind: 'agent',
        note: capabilities.join(', '),
        tools: tools.length === 0 ? [] : await relay().tools(name),
      }),
    ),
  );
  const response = await fetch('/api/mcp/servers', {
    headers: { Authorization: `Bearer ${storedSession() ?? ''}` },
  });
  const { servers = [] } = (await response.json()) as {
    servers?: Array<{ name: string; health: string; error?: string; tools: Tool[] }>;
  };
  owners.value = [
    ...agents,
    ...servers.map(
      ({ name, health, error, tools }): Owner => ({
        name,
        kind: 'server',
        note: error ?? health,
        tools,
      }),
    ),
  ];
}

/** What agents and MCP servers can do, and a form to call it. */
export function ToolsPage() {
  useEffect(() => {
    read().catch(tell);
    return model.value?.listen((events) => {
      if (events.some(({ type }) => /^(tools\.changed|agent\.)/.test(type))) read().catch(tell);
    });
  }, [model.value]);
  return (
    <div class="place">
      <header class="place-head">
        <h1>Tools</h1>
        <p class="muted">What agents and MCP servers offer to each other</p>
      </header>
      {owners.value?.length === 0 && <NoTools />}
      <div class="columns tools">
        <div>
          {owners.value?.map((owner) => (
            <OwnerCard key={`${owner.kind} ${owner.name}`} owner={owner} />
          ))}
        </div>
        {shown.value && (
          <ToolForm
            key={chosen.value}
            target={`${shown.value.owner.name}.${shown.value.tool.name}`}
            tool={shown.value.tool}
          />
        )}
      </div>
    </div>
  );
}

function OwnerCard({ owner: { name, kind, note, tools } }: { owner: Owner }) {
  return (
    <section class="card flush" aria-label={name}>
      <h2 class="card-head">
        <span>
          {name} <span class="tag">{kind === 'agent' ? 'Agent' : 'MCP server'}</span>
        </span>
        <span class="muted small">{note}</span>
      </h2>
      <ul>
        {tools.map((tool) => (
          <li key={tool.name}>
            <button
              type="button"
              class="tool"
              aria-pressed={chosen.value === `${name}.${tool.name}`}
              onClick={() => {
                chosen.value = `${name}.${tool.name}`;
              }}
            >
              <code>{tool.name}</code>
              <span class="muted clip">{tool.description}</span>
            </button>
          </li>
        ))}
        {tools.length === 0 && <li class="tool muted">No tools</li>}
      </ul>
    </section>
  );
}

const NoTools = () => (
  <section class="card empty">
    <h2>Nobody offers tools yet</h2>
    <p>
      Agents built with the SDK expose tools with exposeTool. MCP servers of the daemon are listed in a file:
    </p>
    <CommandLine>agent-relay daemon start --mcp-servers mcp.json</CommandLine>
  </section>
);
