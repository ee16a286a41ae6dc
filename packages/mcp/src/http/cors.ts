import type { IncomingMessage, ServerResponse } from 'node:http';

export interface CorsOptions {
  /** Origins of web pages that may connect, in addition to the server's own. */
  allowedOrigins?: readonly string[];
  /** Whether those pages may also read the answers. */
  cors?: boolean;
}

/** Lets pages of allowed origins read the response; returns true if the request was only a preflight. */
export function answerCors(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { cors = false, allowedOrigins = [] }: CorsOptions,
): boolean {
  if (!cors || headers.origin === undefined || !allowedOrigins.includes(headers.origin)) return false;
  response.setHeader('Access-Control-Allow-Origin', headers.origin);
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After');
  response.setHeader('Vary', 'Origin');
  if (method !== 'OPTIONS') return false;
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
  response.setHeader(
    'Access-Control-Allow-Headers',
    headers['access-control-request-headers'] ?? 'Authorization, Content-Type',
  );
  response.writeHead(204).end();
  return true;
}
