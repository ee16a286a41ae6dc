import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { CommandLine } from '../parts/command.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo, route } from '../routes.ts';
import { ToolTabs } from './tabs.tsx';
import { type Owner, owners, readOwners, subjectOf, type Tool, toolAt } from './tool.ts';
import { ToolForm } from './tool-form.tsx';

/** The tools of agents and MCP servers, with a form to call them. */
export function ToolsPage() {
  useEffect(() => {
    readOwners().catch(tell);
    return model.value?.listen((events) => {
      if (events.some(({ type }) => /^(tools\.changed|servers\.changed|agent\.)/.test(type)))
        readOwners().catch(tell);
    });
  }, [model.value]);
  const filter = useSignal('');
  const { subject } = route.value;
  const shown = toolAt(subject);
  const found = (owners.value ?? []).map((owner) => matching(owner, filter.value.trim().toLowerCase()));
  return (
    <div class="place">
      <header class="place-head">
        <h1>Tools</h1>
        <ToolTabs />
      </header>
      {owners.value?.length === 0 && <NoTools />}
      {owners.value && owners.value.length > 0 && (
        <div class={subject === '' ? 'columns tools' : 'columns tools has-choice'}>
          <div class="tool-list">
            <input
              type="search"
              class="filter"
              aria-label="Filter tools"
              placeholder="Filter tools and actions"
              value={filter.value}
              onInput={({ currentTarget }) => {
                filter.value = currentTarget.value;
              }}
            />
            {found.map((owner) => owner && <OwnerCard key={`${owner.kind} ${owner.name}`} owner={owner} />)}
            {found.every((owner) => owner === undefined) && <p class="muted">Nothing matches.</p>}
          </div>
          {shown && <ToolForm key={subject} owner={shown.owner} tool={shown.tool} />}
          {!shown && (
            <p class="card muted hint">
              {subject === ''
                ? 'Choose a tool or an action to see its description and schema, and to call it.'
                : `${subject} is not available now.`}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** The owner with its matching tools; undefined if there are none. */
function matching(owner: Owner, words: string): Owner | undefined {
  if (words === '' || owner.name.toLowerCase().includes(words)) return owner;
  const tools = owner.tools.filter(({ name, description = '' }) =>
    `${name} ${description}`.toLowerCase().includes(words),
  );
  const said = [owner.note, ...Object.values(owner.descriptions ?? {})].join(' ').toLowerCase();
  return tools.length === 0 && !said.includes(words) ? undefined : { ...owner, tools };
}

const KINDS = { agent: 'Agent', server: 'MCP server', actions: undefined };

function OwnerCard({ owner }: { owner: Owner }) {
  const { name, kind, note, descriptions, tools } = owner;
  return (
    <section class="card flush" aria-label={name}>
      <h2 class="card-head">
        <span>
          {name} {KINDS[kind] && <span class="tag">{KINDS[kind]}</span>}
        </span>
        <span class="muted small clip">{note}</span>
      </h2>
      {descriptions && (
        <dl class="descriptions" aria-label={`What ${name} says it can do`}>
          {Object.entries(descriptions).map(([category, description]) => (
            <div key={category}>
              <dt>{category}</dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      )}
      <ul>
        {tools.map((tool) => (
          <ToolItem key={tool.name} owner={owner} tool={tool} />
        ))}
        {tools.length === 0 && <li class="tool muted">No tools</li>}
      </ul>
    </section>
  );
}

function ToolItem({ owner, tool }: { owner: Owner; tool: Tool }) {
  const subject = subjectOf(owner, tool);
  return (
    <li data-row>
      <a
        class="tool"
        href={linkTo(welcome.value?.project ?? '', 'tools', subject)}
        aria-current={route.value.subject === subject ? 'true' : undefined}
      >
        <code>{tool.name}</code>
        <span class="muted clip">{tool.description}</span>
        {tool.problem && <span class="tag is-warn">Withheld</span>}
      </a>
    </li>
  );
}

const NoTools = () => (
  <section class="card empty">
    <h2>No tools yet</h2>
    <p>
      Agents built with the SDK offer them with <code>exposeTool</code> and <code>registerAction</code>. MCP
      servers for all agents are listed in a file:
    </p>
    <CommandLine>agent-relay restart --mcp-servers mcp-servers.json</CommandLine>
  </section>
);
