import type { InvocationInfo } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { Icon } from '../parts/icon.tsx';
import { Ago } from '../parts/time.tsx';
import { type Problem, Trouble } from '../parts/trouble.tsx';
import { linkTo } from '../routes.ts';
import { shown } from './tool-call.ts';

export const STATES: Record<InvocationInfo['status'], string> = {
  invoked: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  unknown: 'Unknown',
};
const TONES = { invoked: '', completed: 'is-good', failed: 'is-bad', unknown: 'is-warn' };

export const StatusTag = ({ status }: { status: InvocationInfo['status'] }) => (
  <span class={`tag ${TONES[status]}`}>{STATES[status]}</span>
);

const seconds = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'second',
  unitDisplay: 'short',
  maximumFractionDigits: 1,
});

/** One invocation: who invoked what, and how it ended. `latest`: as known without a request. */
export function InvocationDetail({ id, latest }: { id: string; latest: InvocationInfo | undefined }) {
  const read = useSignal<InvocationInfo | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  useEffect(() => {
    if (latest) return;
    relay()
      .invocation(id)
      .then(
        (found) => {
          read.value = found;
        },
        (error: Problem) => {
          problem.value = error;
        },
      );
  }, [id, latest]);
  const invocation = latest ?? read.value;
  const project = welcome.value?.project ?? '';
  return (
    <section class="card tool-form" aria-labelledby="invocation">
      <header class="card-head">
        <a class="back only-phone" href={linkTo(project, 'invocations')} aria-label="All invocations">
          <Icon name="back" />
        </a>
        <h2 id="invocation">
          <code>{invocation?.actionName ?? id}</code>
        </h2>
        {invocation && (
          <span class="push-right">
            <StatusTag status={invocation.status} />
          </span>
        )}
      </header>
      {problem.value && <Trouble problem={problem.value} />}
      {invocation && <Facts invocation={invocation} />}
    </section>
  );
}

function Facts({ invocation }: { invocation: InvocationInfo }) {
  const { invocationId, owner, caller, input, invokedAt, endedAt, status, result, error } = invocation;
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Caller</dt>
          <dd>
            <span>{caller.name}</span>
            {caller.unverified && <span class="tag is-warn">Unverified</span>}
            <span class="muted"> · {caller.type}</span>
          </dd>
        </div>
        <div>
          <dt>Performed by</dt>
          <dd>{owner}</dd>
        </div>
        <div>
          <dt>Invoked</dt>
          <dd>
            <Ago time={invokedAt} />
          </dd>
        </div>
        {endedAt !== undefined && (
          <div>
            <dt>Took</dt>
            <dd>{seconds.format((endedAt - invokedAt) / 1000)}</dd>
          </div>
        )}
        <div>
          <dt>Id</dt>
          <dd>
            <code>{invocationId}</code>
          </dd>
        </div>
      </dl>
      {status === 'unknown' && (
        <p class="notice-line is-warn">
          It was started, but it is unknown whether it was performed. It is not retried.
        </p>
      )}
      {error && <Trouble problem={error} />}
      <h3>Input</h3>
      <pre class="code">{shown(input)}</pre>
      {status === 'completed' && (
        <>
          <h3>Result</h3>
          <pre class="code">{shown(result)}</pre>
        </>
      )}
    </>
  );
}
