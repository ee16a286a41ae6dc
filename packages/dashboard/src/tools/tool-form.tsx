import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { welcome } from '../connection/connection.ts';
import { Icon } from '../parts/icon.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { linkTo } from '../routes.ts';
import { ArgumentField } from './argument-field.tsx';
import { draftOf, fieldsOf } from './form-fields.ts';
import { argumentsFrom, initialValues, jsonFrom } from './form-values.ts';
import type { Owner, Tool } from './tool.ts';
import { type CallState, ToolCall } from './tool-call.ts';

/** A tool's description and a form to call it. */
export function ToolForm({ owner, tool }: { owner: Owner; tool: Tool }) {
  const { description, inputSchema = {}, outputSchema, served, consent, problem, availableTo } = tool;
  const isAction = owner.kind === 'actions';
  const target = isAction ? tool.name : `${owner.name}.${tool.name}`;
  const fields = useMemo(() => fieldsOf(inputSchema), [inputSchema]);
  const values = useSignal<ReadonlyMap<string, string>>(initialValues(fields ?? []));
  const isJson = useSignal(fields === undefined);
  const json = useSignal(draftOf(inputSchema));
  const call = useMemo(() => new ToolCall(target, isAction), [target, isAction]);
  const state = call.state.value;

  const read = () =>
    (isJson.value || !fields
      ? jsonFrom('The text', json.value)
      : argumentsFrom(fields, values.value)) as Record<string, unknown>;
  const edit = () => {
    if (!isJson.value && fields) {
      try {
        json.value = JSON.stringify(argumentsFrom(fields, values.value), null, 2);
      } catch {
        // The form is not valid yet: the editor keeps its content.
      }
    }
    isJson.value = !isJson.value;
  };

  return (
    <section class="card tool-form" aria-labelledby="tool">
      <header class="card-head">
        <a
          class="back only-phone"
          href={linkTo(welcome.value?.project ?? '', 'tools')}
          aria-label="All tools"
        >
          <Icon name="back" />
        </a>
        <h2 id="tool">
          <code>{target}</code>
        </h2>
        {fields && fields.length > 0 && (
          <button type="button" class="quiet push-right" aria-pressed={isJson.value} onClick={edit}>
            Edit as JSON
          </button>
        )}
      </header>
      {description && <p class="waiting-text">{description}</p>}
      {served === false && (
        <p class="muted">No program handles this tool: the agent is asked in a message.</p>
      )}
      {consent && <p class="muted">A person has to allow each call.</p>}
      {availableTo && <p class="muted">Available to {availableTo.join(', ') || 'nobody'}.</p>}
      {problem && <p class="trouble">{problem}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call.start(read);
        }}
      >
        {isJson.value ? (
          <label class="field">
            Arguments (JSON)
            <textarea
              rows={8}
              spellcheck={false}
              value={json.value}
              onInput={({ currentTarget }) => {
                json.value = currentTarget.value;
              }}
            />
          </label>
        ) : (
          fields?.map((field) => (
            <ArgumentField
              key={field.name}
              field={field}
              values={values.value}
              onValue={(key, value) => {
                values.value = new Map([...values.value, [key, value]]);
              }}
            />
          ))
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={state.kind === 'running' || problem !== undefined}>
            {isAction ? 'Invoke' : 'Call'}
          </button>
          {state.kind === 'running' && (
            <button type="button" onClick={() => call.cancel()}>
              {isAction ? 'Stop waiting' : 'Cancel'}
            </button>
          )}
        </div>
      </form>
      <Outcome state={state} />
      <details>
        <summary>Schema</summary>
        <pre class="code">{JSON.stringify(inputSchema, null, 2)}</pre>
        {outputSchema && (
          <>
            <h3>Result</h3>
            <pre class="code">{JSON.stringify(outputSchema, null, 2)}</pre>
          </>
        )}
      </details>
    </section>
  );
}

const Outcome = ({ state }: { state: CallState }) => (
  <div role="status">
    {state.kind === 'running' && <Progress progress={state.progress} />}
    {state.kind === 'failed' && <Trouble problem={state.problem} />}
    {state.kind === 'done' && (
      <>
        <h3>Result</h3>
        <pre class="code">{state.text}</pre>
      </>
    )}
    {(state.kind === 'done' || state.kind === 'failed') && state.invocation !== undefined && (
      <p class="small">
        <a class="link" href={linkTo(welcome.value?.project ?? '', 'invocations', state.invocation)}>
          Show the invocation
        </a>
      </p>
    )}
  </div>
);

function Progress({ progress }: { progress: Extract<CallState, { kind: 'running' }>['progress'] }) {
  if (!progress) return <p class="muted outcome">Running…</p>;
  const { progress: at, total, message } = progress;
  return (
    <p class="muted outcome">
      <progress {...(total === undefined ? {} : { max: total, value: at })} aria-label="Progress" />{' '}
      {message ?? 'Running…'} {total === undefined ? at : `${at} of ${total}`}
    </p>
  );
}
