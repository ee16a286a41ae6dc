import { type Door, identify, type KeyRule, NO_PAGES, sendJson } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';

/** Tells everybody that the daemon is well. */
export const healthDoor = (health: () => object): Door => ({
  paths: ['/health'],
  contentSecurityPolicy: NO_PAGES,
  handle: (_request, response) => sendJson(response, 200, health()),
});

/** What Prometheus reads. */
export interface Metrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** The metrics, for holders of a key and, where none is needed, programs of this user. */
export const metricsDoor = (metrics: Metrics, rule: KeyRule): Door => ({
  paths: ['/metrics'],
  contentSecurityPolicy: NO_PAGES,
  async handle(request, response) {
    if (!(await identify(request, rule))) throw new RelayError('Unauthorized', 'A key is required.');
    response.writeHead(200, { 'Content-Type': metrics.contentType }).end(await metrics.metrics());
  },
});
