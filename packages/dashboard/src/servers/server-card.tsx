import { safeData } from '@agent-relay/protocol';
import type { ServerInfo, ServerTool } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay, relayNow, welcome } from '../connection/connection.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { tell } from '../parts/notices.tsx';
import { useSettled } from '../parts/settled.ts';
import { linkTo } from '../routes.ts';
import { HEALTH_WORDS } from './health-words.ts';
import { reconnectServer, ServerMenu } from './server-menu.tsx';
import { ServerProblem } from './server-problem.tsx';

interface Props {
  server: ServerInfo;
  manageable: boolean;
  onChanged: () => Promise<void>;
}

/** One server and its actions. */
export function ServerCard({ server, manageable, onChanged }: Props) {
  const { name, address, health, tools, invalid = [], changed = [] } = server;
  const remove = async () => {
    await relayNow().servers.remove(name);
    tell(`Removed ${name}.`);
    await onChanged();
  };
  return (
    <section class="card server" aria-label={name} data-row tabIndex={-1}>
      <header class="card-head">
        <h2>
          <span class={`dot is-${health}`} /> {name}
        </h2>
        <span class="muted">
          {HEALTH_WORDS[health]} · {tools} {tools === 1 ? 'tool' : 'tools'}
        </span>
        {manageable && (
          <div class="buttons push-right">
            {health !== 'healthy' && (
              <BusyButton onPress={() => reconnectServer(name)} label={`Reconnect ${name}`}>
                Reconnect
              </BusyButton>
            )}
            <ServerMenu name={name} onRemove={remove} />
          </div>
        )}
      </header>
      <p class="muted small address">
        <code>{address}</code>
      </p>
      {changed.length + invalid.length === 0 && <ServerProblem server={server} />}
      <Tools server={server} onChanged={onChanged} />
      {invalid.length > 0 && (
        <details>
          <summary>
            {invalid.length} {invalid.length === 1 ? 'tool was' : 'tools were'} left out
          </summary>
          <ul class="invalid">
            {invalid.map((tool) => (
              <li key={tool.name}>
                <code>{tool.name}</code> <span class="muted">{tool.reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** Its tools; those to approve first. */
function Tools({ server, onChanged }: Omit<Props, 'manageable'>) {
  const { name, health, tools: count, changed = [] } = server;
  const tools = useSignal<ServerTool[]>([]);
  const state = `${health} ${count} ${changed.join()}`;
  useEffect(() => {
    relay()
      .servers.tools(name)
      .then((list) => {
        tools.value = safeData(list);
      }, tell);
  }, [name, state]);
  const waiting = tools.value.filter(({ digest }) => digest !== undefined);
  const others = tools.value.filter(({ digest, problem }) => digest === undefined && problem === undefined);
  return (
    <>
      {waiting.map((tool) => (
        <ChangedTool key={`${tool.name} ${tool.digest}`} server={name} tool={tool} onChanged={onChanged} />
      ))}
      {others.length > 0 && (
        <p class="chips">
          {others.map((tool) => (
            <a
              key={tool.name}
              class="chip-link"
              title={tool.description}
              href={linkTo(welcome.value?.project ?? '', 'tools', `${name}.${tool.name}`)}
            >
              {tool.name}
            </a>
          ))}
        </p>
      )}
    </>
  );
}

function ChangedTool({
  server,
  tool: { name, description, definition, problem, digest = '' },
  onChanged,
}: {
  server: string;
  tool: ServerTool;
  onChanged: () => Promise<void>;
}) {
  // Another definition may have taken the place of the one that was read.
  const isReady = useSettled(digest);
  const approve = async () => {
    await relayNow().servers.approve(server, name, digest);
    tell(`Approved ${server}.${name}.`);
    await onChanged();
  };
  return (
    <div class="changed-tool">
      <p>
        <code>{name}</code> <span class="tag is-warn">{problem === undefined ? 'Changed' : 'Withheld'}</span>
      </p>
      <p class="muted small">
        {problem === undefined
          ? 'Its definition changed since it was approved. Agents can call it.'
          : 'Its definition is new or changed. Agents cannot call it until you approve it.'}
      </p>
      {description && <p class="waiting-text">{description}</p>}
      <details>
        <summary>Definition</summary>
        <pre class="code">{JSON.stringify(definition, null, 2)}</pre>
      </details>
      <div class="buttons">
        <BusyButton isReady={isReady} onPress={approve} label={`Approve ${server}.${name}`}>
          Approve
        </BusyButton>
      </div>
    </div>
  );
}
