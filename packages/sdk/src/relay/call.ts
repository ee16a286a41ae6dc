import { type CallPayload, encodeEnvelope, isRelayError, RelayError } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';
import { callApplication } from '../connection/emitter.ts';
import type { CallOptions } from '../options.ts';
import { awaitReply, GRACE_MS } from './await-reply.ts';

/** Calls `Name.tool` and resolves with its result. A call that was begun is never repeated. */
export async function call(
  session: ClientSession,
  target: string,
  args: Record<string, unknown> = {},
  { timeoutMs = 30_000, signal, onProgress, parent }: CallOptions & { parent?: string } = {},
): Promise<unknown> {
  const { server, tool } = parseTarget(target);
  const id = session.newId();
  const payload: CallPayload = {
    kind: 'mcp_tool_call',
    server,
    tool,
    arguments: args,
    timeoutMs,
    ...(parent === undefined ? {} : { parent }),
  };
  return await awaitReply<unknown>(session, signal, (settle) => ({
    id,
    sent: false,
    repeatable: false,
    deadline: performance.now() + timeoutMs + GRACE_MS,
    encode: () => encodeEnvelope('CALL', id, Date.now(), payload),
    expire: () =>
      new RelayError('Timeout', `${target} was not answered within ${timeoutMs} ms.`, MAY_HAVE_RUN),
    answer: () => false,
    reply: (result) => settle.resolve(result),
    progress: (progress) => {
      if (onProgress) callApplication(onProgress, progress);
    },
    fail: (error) => settle.reject(isRelayError(error, 'Connection') ? lost(target, error) : error),
  }));
}

const MAY_HAVE_RUN = {
  next: 'The tool may have run. Check that before you call it again.',
  retryable: false,
};

const lost = (target: string, cause: RelayError): RelayError =>
  new RelayError('Connection', `The connection broke before ${target} answered.`, { ...MAY_HAVE_RUN, cause });

/** The name of an agent or server has no dots; that of a tool may. */
function parseTarget(target: string): { server: string; tool: string } {
  const dot = target.indexOf('.');
  if (dot > 0 && dot < target.length - 1)
    return { server: target.slice(0, dot), tool: target.slice(dot + 1) };
  throw new RelayError('InvalidRequest', `"${target}" does not name a tool.`, {
    next: 'Write Name.tool, such as Reviewer.review.',
  });
}
