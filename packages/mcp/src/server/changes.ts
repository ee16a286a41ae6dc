import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import { Batches } from './batches.ts';
import type { ClientContext, Offering } from './client-context.ts';

/** A burst of messages to an agent with many sessions must not keep the daemon busy with notifications. */
const PAUSE_MS = 250;
/** What one session may follow, and how long the address of it may be. */
const MAX_FOLLOWED = 1000;
const MAX_URI_LENGTH = 256;

/** Calls `changed` with the address of each resource that may have changed, until the returned function is called. */
export function followChanges(context: ClientContext, changed: (uri: string) => void): () => void {
  const { offering, participant } = context;
  const changes = new Batches(PAUSE_MS, changed);
  const stops = (['inbox', 'happened', 'agents', 'channels', 'connected'] as const).map((event) => {
    const affected = offering.resources.filter(({ changesWith }) => changesWith.includes(event));
    const tell = (agent?: string) => {
      for (const { uri } of affected) changes.add(uri);
      if (agent !== undefined) changes.add(`relay://agents/${encodeURIComponent(agent)}`);
    };
    participant.events.on(event, tell);
    return () => participant.events.off(event, tell);
  });
  return () => {
    for (const stop of stops) stop();
    changes.close();
  };
}

/**
 * Notifies the client of a long connection about resources it follows. In the older era it subscribes to them here; in
 * the newer one the owner of the connection filters them.
 */
export function serveSubscriptions(server: Server, context: ClientContext, era: 'legacy' | 'modern'): void {
  const followed = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (!isServed(uri, context.offering)) throw new ResourceNotFoundError(uri.slice(0, MAX_URI_LENGTH));
    if (followed.size >= MAX_FOLLOWED && !followed.has(uri)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `A session may follow ${MAX_FOLLOWED} resources. Unsubscribe from one that is not needed.`,
      );
    }
    followed.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    followed.delete(uri);
    return {};
  });
  const stop = followChanges(context, (uri) => {
    if (era === 'legacy' && !followed.has(uri)) return;
    server.sendResourceUpdated({ uri }).catch(context.onerror);
  });
  const closed = server.onclose;
  server.onclose = () => {
    stop();
    closed?.();
  };
}

const isServed = (uri: string, { resources, templates }: Offering): boolean =>
  resources.some((resource) => resource.uri === uri) ||
  (uri.length <= MAX_URI_LENGTH && templates.some((template) => template.match(uri) !== undefined));
