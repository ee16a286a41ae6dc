import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { isMissing } from '@agent-relay/platform';
import { afterWrongSecret, type Door, readJson, sendJson } from '@agent-relay/platform/http';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import { z } from 'zod';
import type { PageSessions } from '../../core/sign-in/page-sessions.ts';

const gzip = promisify(zlib.gzip);

/**
 * The dashboard's content security policy: its own files, and its own WebSocket. Styles of single elements are set by script,
 * never by attributes in messages. Images of attachments are created from their bytes.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes HTML.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** The page keeps its name across versions; all other files are named by content hash. */
const SHELL = { 'Cache-Control': 'no-cache' };
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

interface StaticFile {
  headers: Record<string, string>;
  plain: Buffer;
  /** Compressed on the first request: the page may never be opened. */
  packed: () => Promise<Buffer>;
}

/** The page and its files, the same for everyone: they contain no data. */
export async function pageDoor(directory: string): Promise<Door> {
  const files = await readFiles(directory);
  return {
    paths: ['/', ...[...files.keys()].filter((path) => path !== '/')],
    contentSecurityPolicy: POLICY,
    async handle(request, response) {
      const file = files.get(request.url?.split('?', 1)[0] ?? '/');
      if (!file) {
        throw new RelayError('Internal', 'The files of the dashboard are missing.', {
          next: 'Build them with: npm run prepare',
        });
      }
      await sendFile(request, response, file);
    },
  };
}

/** By path. Read once, so that a new build does not affect the running daemon. */
async function readFiles(directory: string): Promise<Map<string, StaticFile>> {
  const files = new Map<string, StaticFile>();
  for (const name of await namesIn(directory)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const plain = await readFile(join(directory, name));
    const isShell = name === 'index.html';
    const headers = {
      'Content-Type': type,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      Vary: 'Accept-Encoding',
      ...(isShell ? SHELL : FOR_EVER),
    };
    let packed: Promise<Buffer> | undefined;
    files.set(isShell ? '/' : `/${name}`, {
      headers,
      plain,
      packed: () => (packed ??= gzip(plain, { level: 9 })),
    });
  }
  return files;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory, { recursive: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function sendFile(
  { method, headers: { 'accept-encoding': accepted = '' } }: IncomingMessage,
  response: ServerResponse,
  { headers, plain, packed }: StaticFile,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  const isPacked = /\bgzip\b/.test(String(accepted));
  const body = isPacked ? await packed() : plain;
  const encoding = isPacked ? { 'Content-Encoding': 'gzip' } : {};
  response.writeHead(200, { ...headers, ...encoding, 'Content-Length': String(body.length) });
  response.end(method === 'HEAD' ? undefined : body);
}

const signInRequest = z.object({ code: z.string().max(128) }).strict();

/** Exchanges the code of a one-time link for a session, by POST, so that a link preview does not use it up. */
export const signInDoor = (pageSessions: PageSessions): Door => ({
  paths: ['/api/page/session'],
  contentSecurityPolicy: "default-src 'none'",
  async handle(request, response) {
    const { code } = await readJson(request, signInRequest);
    const signedIn = await pageSessions.signIn(code, request.headers['user-agent']).catch(async (error) => {
      if (isRelayError(error, 'Unauthorized')) await afterWrongSecret();
      throw error;
    });
    sendJson(response, 200, signedIn, { 'Cache-Control': 'no-store' });
  },
});
