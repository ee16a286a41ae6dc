import { BackendRpc } from '../../../packages/gateway/src/backend/rpc/backend-rpc.ts';
import type {
  BackendTransport,
  TransportEvents,
} from '../../../packages/gateway/src/backend/transports/transport.ts';
import { objectFrom } from '../../../packages/gateway/src/json/raw-json.ts';

export interface Received {
  id?: number;
  method: string;
  params: Record<string, unknown>;
}

/** What a server of this process says to a request: a result, an error, nothing, or (`dies`) the end of the connection. */
export type LocalAnswer = { result: object } | { error: object } | 'dies' | undefined;

/** JSON-RPC with a server in this process; `received` is everything it was sent. */
export function localRpc(
  kind: BackendTransport['kind'],
  answer: (request: Received) => LocalAnswer,
): { rpc: BackendRpc; received: Received[] } {
  const received: Received[] = [];
  const transport = (events: TransportEvents): BackendTransport => ({
    kind,
    backlog: 0,
    start: async () => undefined,
    close: async () => undefined,
    send(message) {
      const request = objectFrom(message) as unknown as Received;
      received.push(request);
      const said = request.id === undefined ? undefined : answer(request);
      setImmediate(() => {
        if (said === 'dies') events.closed('it crashed');
        else if (said)
          events.message(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...said })));
      });
    },
  });
  const rpc = new BackendRpc(transport, 1_000_000, {
    notification: () => undefined,
    progress: (_id, deliver) => deliver(),
    request: () => Promise.reject(new Error('nobody to ask')),
    closed: () => undefined,
  });
  return { rpc, received };
}
