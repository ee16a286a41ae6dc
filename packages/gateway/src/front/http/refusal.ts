import type { ServerResponse } from 'node:http';
import { ERRORS, isRelayError } from '@agent-relay/protocol';
import { toJson } from '../../json/raw-json.ts';
import { errorBytes, errorMessage, ProtocolError } from '../session/messages.ts';

/** An error with an HTTP status. */
export class HttpError extends Error {
  readonly status: number;
  readonly error: ProtocolError;
  readonly id: Buffer | undefined;
  constructor(status: number, error: ProtocolError, id?: Buffer) {
    super(error.message);
    this.status = status;
    this.error = error;
    this.id = id;
  }
}

/** An error for which the protocol has no code. */
export const refusal = (status: number, message: string): HttpError =>
  new HttpError(status, new ProtocolError(-32000, message));

/** Responds to a request that failed before it reached a session. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, id, error: told } = asHttpError(error);
  const body = errorMessage(id ?? toJson(null), errorBytes(told));
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  // Do not read the rest of the body.
  if (status === 413) headers.connection = 'close';
  response.writeHead(status, headers).end(body);
}

/** Requests refused earlier carry a relay error. */
function asHttpError(error: unknown): { status: number; id?: Buffer | undefined; error: unknown } {
  if (error instanceof HttpError) return error;
  if (!isRelayError(error)) return { status: 500, error };
  const { http } = ERRORS[error.code];
  const data = { error: error.toPayload() };
  return { status: http, error: new ProtocolError(-32000, `${error.message} Next: ${error.next}`, data) };
}
