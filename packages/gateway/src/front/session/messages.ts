import { failureText, forModel, type NextSteps, RelayError, safeData } from '@agent-relay/protocol';
import {
  AnswerTooLarge,
  BackendBusy,
  BackendError,
  CallAborted,
  CallTimeout,
  ConnectionLost,
} from '../../backend/failures.ts';
import { reasonOf } from '../../backend/reason.ts';
import { IDENTITY, META } from '../../backend/rpc/negotiate.ts';
import { HttpRefused } from '../../backend/transports/transport.ts';
import { joinObject, scanObject, toJson } from '../../json/raw-json.ts';

export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const UNSUPPORTED_VERSION = -32022;

/** A protocol error, answered as a JSON-RPC error. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const VERSION = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT = Buffer.from(',"result":');
const ERROR = Buffer.from(',"error":');
const CLOSE = Buffer.from('}');

export const resultMessage = (id: Buffer, result: Buffer): Buffer =>
  Buffer.concat([VERSION, id, RESULT, result, CLOSE]);
export const errorMessage = (id: Buffer, error: Buffer): Buffer =>
  Buffer.concat([VERSION, id, ERROR, error, CLOSE]);
export const requestMessage = (id: Buffer, method: string, params: Buffer): Buffer =>
  joinObject([
    ['jsonrpc', toJson('2.0')],
    ['id', id],
    ['method', toJson(method)],
    ['params', params],
  ]);
export const notificationMessage = (method: string, params?: Buffer): Buffer =>
  joinObject([
    ['jsonrpc', toJson('2.0')],
    ['method', toJson(method)],
    ...(params ? [['params', params] as [string, Buffer]] : []),
  ]);

/** Next steps that use a tool of the gateway. */
const NEXT_STEPS: NextSteps = {
  BackendNotFound: 'List the servers with relay_list_servers.',
  ToolNotFound: 'See the names of the tools with relay_get_status.',
};

/** The JSON-RPC error for anything that was thrown. */
export function errorBytes(error: unknown): Buffer {
  if (error instanceof BackendError) return error.bytes;
  if (error instanceof ProtocolError) {
    return toJson({
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    });
  }
  const relay = forModel(toRelayError(error), NEXT_STEPS);
  return toJson({
    code: relay.code === 'ToolNotFound' ? INVALID_PARAMS : -32603,
    message: failureText(relay),
    data: safeData(relay.toPayload()),
  });
}

/** A failed tool call as a result, so that the model reads it and the next step. */
export function failedToolResult(error: unknown): Buffer {
  const relay = forModel(toRelayError(error), NEXT_STEPS);
  return toJson({
    content: [{ type: 'text', text: failureText(relay) }],
    structuredContent: { error: safeData(relay.toPayload()) },
    isError: true,
  });
}

/** Names `backend` in the message if it is at fault. */
export function toRelayError(error: unknown, backend?: string): RelayError {
  if (error instanceof RelayError) return error;
  // A custom connection has its own error with the right next step.
  if (error instanceof ConnectionLost && error.cause instanceof RelayError) return error.cause;
  const who = backend === undefined ? 'The backend' : `The backend "${backend}"`;
  const reason = reasonOf(error);
  const facts = mayHaveArrived(error) ? { ...MAY_HAVE_RUN, cause: error } : { cause: error };
  if (error instanceof CallTimeout) return new RelayError('Timeout', `${who}: ${reason}.`, facts);
  if (error instanceof BackendBusy) {
    return new RelayError('Overloaded', `${who} is not reading its input: ${reason}.`, {
      next: 'Wait for answers before sending more, or reconnect it with the tool relay_reconnect_server.',
      cause: error,
    });
  }
  if (error instanceof CallAborted) return new RelayError('Cancelled', undefined, { cause: error });
  if (error instanceof AnswerTooLarge)
    return new RelayError('ResultTooLarge', `${who} sent an answer that was rejected: ${reason}.`, {
      cause: error,
    });
  if (error instanceof ConnectionLost || error instanceof HttpRefused) {
    return new RelayError('BackendUnavailable', `${who} is not available: ${reason}.`, {
      next: 'See the reason with the tool relay_get_status. The gateway keeps reconnecting; the next call tries at once.',
      ...facts,
    });
  }
  return new RelayError('Internal', `The gateway failed: ${reason}.`, { cause: error });
}

const MAY_HAVE_RUN = {
  next: 'The call may have taken effect. Check that before you try again.',
  retryable: false,
};

/** Whether the backend may have seen the request that failed. */
export const mayHaveArrived = (error: unknown): boolean =>
  error instanceof CallTimeout ||
  (error instanceof ConnectionLost && error.written) ||
  // A proxy may answer this for a request that it forwarded.
  (error instanceof HttpRefused && error.status >= 500);

const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/** Adds the fields that the modern revision requires in every result and legacy backends lack. */
export function stampModern(method: string, result: Buffer): Buffer {
  const members = scanObject(result);
  if (!members) return result;
  if (!members.has('resultType')) members.set('resultType', toJson('complete'));
  if (CACHEABLE.has(method) && members.get('resultType')?.toString() === '"complete"') {
    if (!members.has('ttlMs')) members.set('ttlMs', toJson(0));
    if (!members.has('cacheScope')) members.set('cacheScope', toJson('private'));
  }
  if (!members.has('_meta')) members.set('_meta', toJson({ [META.serverInfo]: IDENTITY }));
  return joinObject(members);
}
