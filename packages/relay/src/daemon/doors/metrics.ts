import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Relay } from '../../core/relay.ts';
import type { Counters } from '../../transport/flow/counters.ts';

/** Metrics for Prometheus: session counters, connections, and Node's own metrics. */
export function createMetrics(relay: Relay, counters: Counters): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });

  new Counter({
    name: 'agent_relay_requests_total',
    help: 'Requests answered, by operation and outcome (ok or an error code).',
    labelNames: ['operation', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [operation, outcomes] of counters.requests) {
        for (const [outcome, count] of outcomes) this.inc({ operation, outcome }, count);
      }
    },
  });
  counter(
    'agent_relay_deliveries_pushed_total',
    'Deliveries written to a connection.',
    () => counters.deliveriesPushed,
  );
  counter('agent_relay_connections_opened_total', 'Connections accepted.', () => counters.connectionsOpened);
  counter(
    'agent_relay_connections_lost_total',
    'Connections closed because the peer was silent.',
    () => counters.connectionsLost,
  );
  gauge(
    'agent_relay_connections',
    'Connections that have identified themselves.',
    () => relay.presence.count().connections,
  );
  gauge(
    'agent_relay_agents_online',
    'Agents with at least one connection.',
    () => relay.presence.count().agentsOnline,
  );
  return registry;
}
