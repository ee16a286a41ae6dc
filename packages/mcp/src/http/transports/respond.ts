import type { ServerResponse } from 'node:http';
import { sendJson } from '@agent-relay/platform/http';
import { ERRORS, type RelayError } from '@agent-relay/protocol';

/** A JSON-RPC error in response to something that is not a JSON-RPC request. */
export const sendRpcError = (
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  data?: unknown,
): void =>
  sendJson(response, status, {
    jsonrpc: '2.0',
    id: null,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });

/** Refuses a request with a catalogue error. */
export function sendFailure(response: ServerResponse, error: RelayError): void {
  const { retryAfterMs } = error.details ?? {};
  if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1000)));
  sendRpcError(response, ERRORS[error.code].http, -32600, `${error.message} Next: ${error.next}`, {
    error: error.toPayload(),
  });
}
