import type { DeliveryTrace, HistoryMessage, HoldTrace } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay } from '../../connection/connection.ts';
import { model } from '../../model/current.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { tell } from '../../parts/notices.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { ADVICE } from './advice.ts';

const STATES: Record<DeliveryTrace['state'], string> = {
  stored: 'Stored',
  accepted: 'Received by its program',
  uncertain: 'Possibly delivered',
  injected: 'In its context',
  turn_started: 'Working on it',
  read: 'Read',
  acked: 'Handled',
};

const PATHS: Record<string, string> = {
  native: 'natively',
  hook: 'by a hook',
  pty: 'in its terminal',
  push: 'by push',
  pull: 'from the inbox',
};

/** Delivery status of a message, per recipient. */
export function Delivery({ message }: { message: HistoryMessage }) {
  const trace = useSignal<{ deliveries: DeliveryTrace[]; held?: HoldTrace } | undefined>(undefined);
  useEffect(() => {
    const read = () =>
      relay()
        .trace(message.id)
        .then((found) => {
          trace.value = found;
        }, tell);
    void read();
    return model.value?.listen((events) => {
      const concerns = events.some(
        (event) => ('messageId' in event && event.messageId === message.id) || event.type === 'path.changed',
      );
      if (concerns) void read();
    });
  }, [message.id]);
  const { deliveries = [], held } = trace.value ?? {};
  return (
    <div class="deliveries">
      <p class="muted">
        <code>{message.id}</code>
      </p>
      {held && (
        <p class="trouble">
          Held by the loop governor: {held.reason}.
          {held.settled && ` ${held.settled.outcome} by ${held.settled.by}.`}
        </p>
      )}
      {trace.value && deliveries.length === 0 && !held && <p class="muted">It has no recipients.</p>}
      {deliveries.map((delivery) => (
        <Recipient key={delivery.recipient} delivery={delivery} />
      ))}
    </div>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function Recipient({
  delivery: { recipient, state, path, reason, transitions },
}: {
  delivery: DeliveryTrace;
}) {
  const advice = reason && ADVICE[reason.code];
  const isDone = state === 'read' || state === 'acked' || state === 'turn_started' || state === 'injected';
  return (
    <section class="recipient" aria-label={recipient}>
      <h3>
        <Avatar name={recipient} /> {recipient}
        <span class={isDone ? 'state is-done' : 'state'}>
          {/* Of a message that is only stored, the path is a plan. */}
          {STATES[state]}
          {path && state !== 'stored' && ` ${PATHS[path]}`}
        </span>
      </h3>
      <ol class="timeline">
        {transitions.map((step) => (
          <li key={step.state}>
            <ClockTime time={step.at} /> {STATES[step.state]}
            {step.path && step.state !== 'stored' && <span class="muted"> {PATHS[step.path]}</span>}
          </li>
        ))}
        {reason && (
          <li class="is-waiting">
            {sentence(reason.text)}
            {advice && <span class="muted">. {advice}</span>}
          </li>
        )}
      </ol>
    </section>
  );
}
