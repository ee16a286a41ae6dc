import type { Server } from '@modelcontextprotocol/server';
import type { ClientContext } from './client-context.ts';

/** Calls `changed` with the address of each resource that may have changed; until the function returned is called. */
export function followChanges(context: ClientContext, changed: (uri: string) => void): () => void {
  const { offering, participant } = context;
  const stops = (['inbox', 'agents', 'channels', 'connected'] as const).map((event) => {
    const affected = offering.resources.filter(({ changesWith }) => changesWith.includes(event));
    const tell = (agent?: string) => {
      for (const { uri } of affected) changed(uri);
      if (agent !== undefined) changed(`relay://agents/${encodeURIComponent(agent)}`);
    };
    participant.events.on(event, tell);
    return () => participant.events.off(event, tell);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Tells the client of a long connection about the resources it follows. In the older era it says which those are; in
 * the newer one whoever owns the connection knows, and lets only those through.
 */
export function serveSubscriptions(server: Server, context: ClientContext, era: 'legacy' | 'modern'): void {
  const followed = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
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
