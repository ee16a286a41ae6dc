import type { CallProgress } from '@agent-relay/protocol';
import { isRelayError } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { relay } from '../connection/connection.ts';
import { argumentsFrom, type Field, fieldsOf, jsonFrom } from './arguments.ts';
import type { Tool } from './tool.ts';

const TIMEOUT_MS = 120_000;

type State =
  | { kind: 'idle' }
  | { kind: 'running'; abort: AbortController; progress?: CallProgress }
  | { kind: 'done'; text: string }
  | { kind: 'failed'; message: string; next?: string };

/** What a tool does, and a form to call it. */
export function ToolForm({ target, tool }: { target: string; tool: Tool }) {
  const { description, inputSchema = {}, served, consent } = tool;
  const fields = fieldsOf(inputSchema);
  const values = useSignal<ReadonlyMap<string, string>>(new Map());
  const json = useSignal('{}');
  const state = useSignal<State>({ kind: 'idle' });
  const set = (name: string, value: string) => {
    values.value = new Map([...values.value, [name, value]]);
  };

  const call = async () => {
    const abort = new AbortController();
    try {
      const args = fields ? argumentsFrom(fields, values.value) : jsonFrom('The arguments', json.value);
      state.value = { kind: 'running', abort };
      const result = await relay().call(target, args as Record<string, unknown>, {
        timeoutMs: TIMEOUT_MS,
        signal: abort.signal,
        onProgress: (progress) => {
          if (state.peek().kind === 'running') state.value = { kind: 'running', abort, progress };
        },
      });
      state.value = {
        kind: 'done',
        text: typeof result === 'string' ? result : JSON.stringify(result, null, 2),
      };
    } catch (error) {
      const message = (error as Error).message;
      state.value = { kind: 'failed', message, ...(isRelayError(error) ? { next: error.next } : {}) };
    }
  };

  return (
    <section class="card tool-form" aria-labelledby="tool">
      <h2 id="tool">
        <code>{target}</code>
      </h2>
      {description && <p class="waiting-text">{description}</p>}
      {served === false && (
        <p class="muted">No program handles this tool: the agent is asked in a message.</p>
      )}
      {consent && <p class="muted">A person has to allow each call.</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call();
        }}
      >
        {fields?.map((field) => (
          <Argument key={field.name} field={field} value={values.value.get(field.name) ?? ''} onValue={set} />
        ))}
        {!fields && (
          <label class="field">
            Arguments (JSON)
            <textarea
              rows={6}
              value={json.value}
              onInput={({ currentTarget }) => {
                json.value = currentTarget.value;
              }}
            />
          </label>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={state.value.kind === 'running'}>
            Call
          </button>
          {state.value.kind === 'running' && (
            <button type="button" onClick={() => state.value.kind === 'running' && state.value.abort.abort()}>
              Cancel
            </button>
          )}
        </div>
      </form>
      <Outcome state={state.value} />
      <details>
        <summary>Schema</summary>
        <pre class="code">{JSON.stringify(inputSchema, null, 2)}</pre>
      </details>
    </section>
  );
}

function Argument({
  field: { name, description, required, kind, choices },
  value,
  onValue,
}: {
  field: Field;
  value: string;
  onValue: (name: string, value: string) => void;
}) {
  const change = ({ currentTarget }: { currentTarget: { value: string } }) =>
    onValue(name, currentTarget.value);
  const id = `argument-${name}`;
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code>
        {required && <span class="muted"> required</span>}
        {description && <span class="muted"> · {description}</span>}
      </label>
      {kind === 'flag' && (
        <input
          id={id}
          type="checkbox"
          checked={value === 'true'}
          onChange={({ currentTarget }) => onValue(name, String(currentTarget.checked))}
        />
      )}
      {kind === 'choice' && (
        <select id={id} value={value} onChange={change}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
      {kind === 'json' && <textarea id={id} rows={3} placeholder="JSON" value={value} onInput={change} />}
      {(kind === 'text' || kind === 'number') && (
        <input
          id={id}
          type="text"
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={value}
          onInput={change}
        />
      )}
    </div>
  );
}

const Outcome = ({ state }: { state: State }) => (
  <div role="status">
    {state.kind === 'running' && (
      <p class="muted">
        Running…
        {state.progress &&
          ` ${state.progress.message ?? ''} ${state.progress.progress}${state.progress.total ? ` of ${state.progress.total}` : ''}`}
      </p>
    )}
    {state.kind === 'failed' && (
      <p class="trouble">
        {state.message} {state.next}
      </p>
    )}
    {state.kind === 'done' && (
      <>
        <h3>Result</h3>
        <pre class="code">{state.text}</pre>
      </>
    )}
  </div>
);
