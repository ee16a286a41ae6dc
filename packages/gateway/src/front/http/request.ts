import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { META, MODERN_VERSION } from '../../backend/rpc/negotiate.ts';
import {
  isObject,
  type JsonMembers,
  objectFrom,
  scanMessage,
  scanObject,
  stringFrom,
} from '../../json/raw-json.ts';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  ProtocolError,
  UNSUPPORTED_VERSION,
} from '../session/messages.ts';
import { isServed } from '../session/methods.ts';
import { HttpError } from './refusal.ts';

const HEADER_MISMATCH = -32020;

/** A posted JSON-RPC message, scanned only at the top levels. */
export interface Posted {
  bytes: Buffer;
  era: 'legacy' | 'modern';
  id: Buffer | undefined;
  method: string | undefined;
}

/** Reads a body by events: an iterator would cost more than the rest of the call. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else
        reject(new HttpError(413, new ProtocolError(-32000, `The request is larger than ${limit} bytes.`)));
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** Determines the kind of message and, in the modern era, checks that headers and body agree. */
export function classify(bytes: Buffer, headers: IncomingHttpHeaders): Posted {
  const scanned = scanMessage(bytes);
  if (!scanned) {
    const batch = bytes.subarray(0, 16).toString().trimStart().startsWith('[');
    const problem = batch ? 'Batches are not supported.' : 'The body is not valid JSON.';
    throw new HttpError(400, new ProtocolError(batch ? INVALID_REQUEST : -32700, problem));
  }
  const { members, flaw } = scanned;
  const method = stringFrom(members.get('method'));
  const id = members.get('id');
  // A response answers a question of the session, which knows it.
  if (flaw !== undefined && method !== undefined)
    throw new HttpError(400, new ProtocolError(INVALID_REQUEST, `Invalid request: ${flaw}.`), id);
  if (method === undefined && id === undefined) {
    throw new HttpError(400, new ProtocolError(INVALID_REQUEST, 'The body is not a JSON-RPC message.'));
  }
  const params = members.get('params');
  const fields = (params && scanObject(params)) ?? new Map<string, Buffer>();
  const meta = objectFrom(fields.get('_meta')) ?? {};
  const version = header(headers, 'mcp-protocol-version');
  const claimed = meta[META.protocolVersion];
  const modern = claimed !== undefined || (version !== undefined && version >= MODERN_VERSION);
  if (modern && method !== undefined && id) checkModern(id, method, fields, meta, headers);
  return { bytes, era: modern ? 'modern' : 'legacy', id, method };
}

function checkModern(
  id: Buffer,
  method: string,
  params: JsonMembers,
  meta: Record<string, unknown>,
  headers: IncomingHttpHeaders,
): void {
  const refuse = (status: number, code: number, message: string, data?: unknown) =>
    new HttpError(status, new ProtocolError(code, message, data), id);
  const version = header(headers, 'mcp-protocol-version');
  if (method === 'initialize' && meta[META.protocolVersion] === undefined) {
    throw refuse(
      400,
      HEADER_MISMATCH,
      'The protocol version in MCP-Protocol-Version has no initialize request.',
    );
  }
  const claimed = meta[META.protocolVersion];
  if (typeof claimed !== 'string' || !isObject(meta[META.clientCapabilities])) {
    throw refuse(400, INVALID_PARAMS, 'The request lacks the _meta envelope of its protocol revision.', {
      envelope: {
        missing: [META.protocolVersion, META.clientCapabilities].filter((key) => meta[key] === undefined),
      },
    });
  }
  const mismatch = (what: string) =>
    refuse(400, HEADER_MISMATCH, `The headers and the body do not match: ${what}.`);
  if (version !== undefined && version !== claimed) throw mismatch('MCP-Protocol-Version');
  if (claimed !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested: claimed };
    throw refuse(400, UNSUPPORTED_VERSION, `Unsupported protocol version: ${claimed}`, data);
  }
  if (version === undefined) throw mismatch('MCP-Protocol-Version is missing');
  if (header(headers, 'mcp-method') !== method) throw mismatch('Mcp-Method');
  const named = stringFrom(params.get(method === 'resources/read' ? 'uri' : 'name'));
  const hasName = ['tools/call', 'prompts/get', 'resources/read'].includes(method);
  if (hasName && named !== undefined && decodeHeader(header(headers, 'mcp-name')) !== named)
    throw mismatch('Mcp-Name');
  if (!isServed(method, 'modern')) throw refuse(404, METHOD_NOT_FOUND, `Method not found: ${method}`);
}

const header = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim();
};

/** Non-ASCII names are sent as =?base64?…?=. */
function decodeHeader(value: string | undefined): string | undefined {
  const encoded = value === undefined ? undefined : /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}
