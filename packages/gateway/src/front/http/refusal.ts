import type { ServerResponse } from 'node:http';
import { ERRORS, isRelayError } from '@agent-relay/protocol';
import { toJson } from '../../json/raw-json.ts';
import { errorBytes, errorMessage, ProtocolError } from '../session/messages.ts';

/** A refusal that has an HTTP status as well. */
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

/** A refusal that the protocol itself has no code for. */
export const refusal = (status: number, message: string): HttpError =>
  new HttpError(status, new ProtocolError(-32000, message));

/** Answers a request that failed before it reached a session. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, id, error: told } = asHttpError(error);
  const body = errorMessage(id ?? toJson(null), errorBytes(told));
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  // The rest of a refused body is not read.
  if (status === 413) headers.connection = 'close';
  response.writeHead(status, headers).end(body);
}

/** What was refused before it came here has an error of the relay. */
function asHttpError(error: unknown): { status: number; id?: Buffer | undefined; error: unknown } {
  if (error instanceof HttpError) return error;
  if (!isRelayError(error)) return { status: 500, error };
  const { http } = ERRORS[error.code];
  const data = { error: error.toPayload() };
  return { status: http, error: new ProtocolError(-32000, `${error.message} Next: ${error.next}`, data) };
}
