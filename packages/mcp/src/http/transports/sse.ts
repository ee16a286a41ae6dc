import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeRoom, type Occupant, type Room } from '@agent-relay/platform/limits';
import { buildServer } from '../../server/build-server.ts';
import { asMessage, clientInfoOf } from '../../server/messages.ts';
import { PendingReplies } from '../../server/replies.ts';
import { PROJECT_PARAMETER } from '../admission/access.ts';
import type { Caller } from '../admission/caller.ts';
import { noRoom } from '../admission/session-limits.ts';
import type { ClientContexts } from '../participants/client-contexts.ts';
import { sendRpcError } from './respond.ts';
import { SseTransport } from './sse-transport.ts';
import type { Exchange } from './streamable.ts';

interface SseSession extends Occupant {
  owner: string;
  receive(body: unknown): void;
  close(): Promise<void>;
}

/** Repeated in each message URL: clients of this transport do not keep their first URL. */
const chosenProject = ({ access }: Caller): Record<string, string> =>
  'project' in access && access.project !== undefined ? { [PROJECT_PARAMETER]: access.project } : {};

/** Serves the older HTTP transport, where a session lives as long as its stream. */
export class SseSessions {
  readonly #contexts: ClientContexts;
  readonly #messagesPath: string;
  readonly #room: Room;
  readonly #onerror: (error: unknown) => void;
  readonly #open = new Map<string, SseSession>();

  constructor(options: {
    contexts: ClientContexts;
    messagesPath: string;
    room: Room;
    onerror(error: unknown): void;
  }) {
    this.#contexts = options.contexts;
    this.#messagesPath = options.messagesPath;
    this.#room = options.room;
    this.#onerror = options.onerror;
  }

  get size(): number {
    return this.#open.size;
  }

  async openStream({ response, caller, offering }: Omit<Exchange, 'body'>): Promise<void> {
    const { full } = makeRoom(this.#open.values(), caller.account, this.#room);
    if (full) throw noRoom(full, this.#room);
    const id = randomUUID();
    const replies = new PendingReplies(this.#onerror);
    const { context, lease } = this.#contexts.session(caller, id, offering(), replies);
    const endpoint = `${this.#messagesPath}?${new URLSearchParams({ sessionId: id, ...chosenProject(caller) })}`;
    const transport = new SseTransport({ id, endpoint, response, replies });
    const server = buildServer(context, { era: 'legacy', lasting: true });
    this.#open.set(id, {
      owner: caller.key,
      account: caller.account,
      // Its stream is open as long as it exists, so it is always in use.
      isIdle: false,
      receive: (body) => {
        context.participant.introduce(clientInfoOf(body));
        context.participant.start();
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

  /** Takes a posted message; the answer is sent on the client's stream. */
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
