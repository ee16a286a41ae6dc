import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RelayError } from '@agent-relay/protocol';
import { buildServer } from '../server/build-server.ts';
import { clientInfoOf } from '../server/client-info.ts';
import { asMessage } from '../server/messages.ts';
import { PendingReplies } from '../server/replies.ts';
import { PROJECT_PARAMETER } from './access.ts';
import type { Caller } from './caller.ts';
import type { Desks } from './desks.ts';
import { sendRpcError } from './respond.ts';
import { SseTransport } from './sse-transport.ts';
import type { Exchange } from './streamable.ts';

interface SseSession {
  owner: string;
  receive(body: unknown): void;
  close(): Promise<void>;
}

/** Said again with each message: the clients of this transport keep nothing of their first URL. */
const chosenProject = ({ access }: Caller): Record<string, string> =>
  'project' in access && access.project !== undefined ? { [PROJECT_PARAMETER]: access.project } : {};

/** Serves the older HTTP transport, where a session lives as long as its stream. */
export class SseSessions {
  readonly #desks: Desks;
  readonly #messagesPath: string;
  readonly #most: number;
  readonly #onerror: (error: unknown) => void;
  readonly #open = new Map<string, SseSession>();

  constructor(options: {
    desks: Desks;
    messagesPath: string;
    most: number;
    onerror(error: unknown): void;
  }) {
    this.#desks = options.desks;
    this.#messagesPath = options.messagesPath;
    this.#most = options.most;
    this.#onerror = options.onerror;
  }

  get size(): number {
    return this.#open.size;
  }

  async openStream({ response, caller, catalogue }: Omit<Exchange, 'body'>): Promise<void> {
    if (this.size >= this.#most) throw new RelayError('Overloaded', `${this.#most} streams are open.`);
    const id = randomUUID();
    const replies = new PendingReplies(this.#onerror);
    const { desk, lease } = this.#desks.session(caller, id, catalogue(), replies);
    const endpoint = `${this.#messagesPath}?${new URLSearchParams({ sessionId: id, ...chosenProject(caller) })}`;
    const transport = new SseTransport({ id, endpoint, response, replies });
    const server = buildServer(desk, { era: 'legacy', lasting: true });
    this.#open.set(id, {
      owner: caller.key,
      receive: (body) => {
        desk.participant.introduce(clientInfoOf(body));
        desk.participant.start();
        transport.onmessage?.(asMessage(body));
      },
      close: () => server.close(),
    });
    const stop = lease.onclose(() => server.close());
    const closed = server.onclose;
    server.onclose = () => {
      this.#open.delete(id);
      stop();
      lease.release();
      closed?.();
    };
    await server.connect(transport);
  }

  /** Takes what a client posts; the answer comes on its stream. */
  receive(request: IncomingMessage, response: ServerResponse, body: unknown, caller: Caller): void {
    const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('sessionId') ?? '';
    const session = this.#open.get(id);
    if (session?.owner !== caller.key) {
      sendRpcError(response, 404, -32001, 'Session not found');
      return;
    }
    try {
      session.receive(body);
    } catch {
      sendRpcError(response, 400, -32600, 'The body is not a JSON-RPC message.');
      return;
    }
    response.writeHead(202).end('Accepted');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.close()));
  }
}
