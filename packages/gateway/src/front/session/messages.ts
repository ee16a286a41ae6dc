import { RelayError } from '@agent-relay/protocol';
import {
  AnswerTooLarge,
  BackendBusy,
  BackendError,
  CallAborted,
  CallTimeout,
  ConnectionLost,
} from '../../backend/failures.ts';
import { IDENTITY, META } from '../../backend/negotiate.ts';
import { reasonOf } from '../../backend/reason.ts';
import { HttpRefused } from '../../backend/transport.ts';
import { joinObject, scanObject, toJson } from '../../json/raw-json.ts';

export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const UNSUPPORTED_VERSION = -32022;

/** An error of the protocol itself, answered as JSON-RPC. */
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

/** The error of an answer, from whatever was thrown. */
export function errorBytes(error: unknown): Buffer {
  if (error instanceof BackendError) return error.bytes;
  if (error instanceof ProtocolError) {
    return toJson({
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    });
  }
  const relay = toRelayError(error);
  return toJson({
    code: relay.code === 'ToolNotFound' ? INVALID_PARAMS : -32603,
    message: `${relay.message} ${relay.next}`,
    data: relay.toPayload(),
  });
}

/** A failed tool call as a result: the model reads results, and learns what to do next. */
export function failedToolResult(error: unknown): Buffer {
  const relay = toRelayError(error);
  return toJson({
    content: [{ type: 'text', text: `${relay.message} ${relay.next}` }],
    structuredContent: { error: relay.toPayload() },
    isError: true,
  });
}

/** `backend` is named in the message where one is to blame. */
export function toRelayError(error: unknown, backend?: string): RelayError {
  if (error instanceof RelayError) return error;
  // What could not be reached by a way of our own says best itself what to do.
  if (error instanceof ConnectionLost && error.cause instanceof RelayError) return error.cause;
  const who = backend === undefined ? 'The backend' : `The backend "${backend}"`;
  const reason = reasonOf(error);
  if (error instanceof CallTimeout)
    return new RelayError('Timeout', `${who} gave ${reason}.`, { cause: error });
  if (error instanceof BackendBusy) {
    return new RelayError('Overloaded', `${who} does not read what is sent to it: ${reason}.`, {
      next: 'Wait for answers before sending more, or connect it again with the tool relay_reconnect_server.',
      cause: error,
    });
  }
  if (error instanceof CallAborted) return new RelayError('Cancelled', undefined, { cause: error });
  if (error instanceof AnswerTooLarge)
    return new RelayError('ResultTooLarge', `${who} gave an answer that is not passed on: ${reason}.`, {
      cause: error,
    });
  if (error instanceof ConnectionLost || error instanceof HttpRefused) {
    return new RelayError('BackendUnavailable', `${who} is not available: ${reason}.`, { cause: error });
  }
  return new RelayError('Internal', `The gateway failed: ${reason}.`, { cause: error });
}

const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/** Adds the fields that the modern revision requires of every result and a legacy backend does not know. */
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
