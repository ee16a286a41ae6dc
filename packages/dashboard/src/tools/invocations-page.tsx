import type { InvocationInfo } from '@agent-relay/sdk';
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { CommandLine } from '../parts/command.tsx';
import { tell } from '../parts/notices.tsx';
import { Ago } from '../parts/time.tsx';
import { linkTo, route } from '../routes.ts';
import { InvocationDetail, STATES, StatusTag } from './invocation-detail.tsx';
import { ToolTabs } from './tabs.tsx';

const LIMIT = 100;
const invocations = signal<InvocationInfo[] | undefined>(undefined);

/** Adds or updates an invocation in the list. */
function noted(fresh: InvocationInfo): void {
  const known = invocations.peek() ?? [];
  const others = known.filter(({ invocationId }) => invocationId !== fresh.invocationId);
  invocations.value = [fresh, ...others]
    .sort((one, other) => other.invokedAt - one.invokedAt)
    .slice(0, LIMIT);
}

/** Who invoked what, and how it ended. */
export function InvocationsPage() {
  useEffect(() => {
    relay()
      .invocations({ limit: LIMIT })
      .then((list) => {
        invocations.value = list;
      }, tell);
    return model.value?.listen((events) => {
      for (const event of events) if ('invocation' in event) noted(event.invocation);
    });
  }, [model.value]);
  const { subject } = route.value;
  const words = useSignal('');
  const status = useSignal('');
  const list = invocations.value;
  const found = (list ?? []).filter(
    (one) =>
      (status.value === '' || one.status === status.value) &&
      `${one.actionName} ${one.owner} ${one.caller.name} ${one.invocationId}`
        .toLowerCase()
        .includes(words.value.trim().toLowerCase()),
  );
  return (
    <div class="place">
      <header class="place-head">
        <h1>Tools</h1>
        <ToolTabs />
      </header>
      {list?.length === 0 && subject === '' && <NoInvocations />}
      {list && (list.length > 0 || subject !== '') && (
        <div class={subject === '' ? 'columns tools' : 'columns tools has-choice'}>
          <div class="tool-list">
            <div class="filters">
              <input
                type="search"
                class="filter"
                aria-label="Filter invocations"
                placeholder="Action, owner or caller"
                value={words.value}
                onInput={({ currentTarget }) => {
                  words.value = currentTarget.value;
                }}
              />
              <select
                aria-label="Status"
                value={status.value}
                onChange={({ currentTarget }) => {
                  status.value = currentTarget.value;
                }}
              >
                <option value="">Any status</option>
                {Object.entries(STATES).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </div>
            <section class="card flush" aria-label="Invocations">
              <ul>
                {found.map((invocation) => (
                  <Row
                    key={invocation.invocationId}
                    invocation={invocation}
                    isHere={subject === invocation.invocationId}
                  />
                ))}
                {found.length === 0 && <li class="tool muted">Nothing matches.</li>}
              </ul>
            </section>
            {list.length === LIMIT && <p class="muted small">The latest {LIMIT}.</p>}
          </div>
          {subject === '' ? (
            <p class="card muted hint">Choose an invocation to see its input and result.</p>
          ) : (
            <InvocationDetail
              key={subject}
              id={subject}
              latest={list.find(({ invocationId }) => invocationId === subject)}
            />
          )}
        </div>
      )}
    </div>
  );
}

const Row = ({ invocation, isHere }: { invocation: InvocationInfo; isHere: boolean }) => (
  <li data-row>
    <a
      class="tool is-tall"
      href={linkTo(welcome.value?.project ?? '', 'invocations', invocation.invocationId)}
      aria-current={isHere ? 'true' : undefined}
    >
      <span class="row-main">
        <code>{invocation.actionName}</code>
        <span class="muted clip small">
          {invocation.caller.name} → {invocation.owner} · <Ago time={invocation.invokedAt} />
        </span>
      </span>
      <StatusTag status={invocation.status} />
    </a>
  </li>
);

const NoInvocations = () => (
  <section class="card empty">
    <h2>No actions invoked yet</h2>
    <p>
      An agent offers an action with <code>registerAction</code>; others invoke it, and each invocation is
      recorded here with its caller and its result. From the terminal:
    </p>
    <CommandLine>agent-relay actions --invocations</CommandLine>
  </section>
);
