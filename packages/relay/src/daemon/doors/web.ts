import { type Door, identify, type KeyRule, NO_PAGES, sendJson } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';

/** Health, for everyone. */
export const healthDoor = (health: () => object): Door => ({
  paths: ['/health'],
  contentSecurityPolicy: NO_PAGES,
  handle: (_request, response) => sendJson(response, 200, health()),
});

/** Prometheus metrics. */
export interface Metrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** Metrics, for clients with a key or, if none is needed, programs of this user. */
export const metricsDoor = (metrics: Metrics, rule: KeyRule): Door => ({
  paths: ['/metrics'],
  contentSecurityPolicy: NO_PAGES,
  async handle(request, response) {
    if (!(await identify(request, rule))) throw new RelayError('Unauthorized', 'A key is required.');
    response.writeHead(200, { 'Content-Type': metrics.contentType }).end(await metrics.metrics());
  },
});
