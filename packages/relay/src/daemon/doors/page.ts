import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isMissing } from '@agent-relay/platform';
import { type Door, readJson, sendJson } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';
import { z } from 'zod';
import type { PageSessions } from '../../core/sign-in/page-sessions.ts';

/**
 * What the dashboard may load and do: its own files, and its own WebSocket. Styles of single elements are set by script,
 * never by attributes of messages. Pictures of attachments are made from their bytes.
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
  // Text becomes a part of the page only where it was cleaned before.
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** The page has the same name in each version; everything else is named after what is in it. */
const SHELL = { 'Cache-Control': 'no-cache' };
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

interface StaticFile {
  headers: Record<string, string>;
  plain: Buffer;
  packed: Buffer;
}

/** The page and its files, the same for everybody: they hold no data. */
export async function pageDoor(directory: string): Promise<Door> {
  const files = await readFiles(directory);
  return {
    paths: ['/', ...[...files.keys()].filter((path) => path !== '/')],
    contentSecurityPolicy: POLICY,
    handle(request, response) {
      const file = files.get(request.url?.split('?', 1)[0] ?? '/');
      if (!file) {
        throw new RelayError('Internal', 'The files of the dashboard are missing.', {
          next: 'Build them with: npm run prepare',
        });
      }
      sendFile(request, response, file);
    },
  };
}

/** By path. They are read once: a new build does not take them away from the daemon that runs. */
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
    files.set(isShell ? '/' : `/${name}`, { headers, plain, packed: gzipSync(plain, { level: 9 }) });
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

function sendFile(
  { method, headers: { 'accept-encoding': accepted = '' } }: IncomingMessage,
  response: ServerResponse,
  { headers, plain, packed }: StaticFile,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  const isPacked = /\bgzip\b/.test(String(accepted));
  const body = isPacked ? packed : plain;
  const encoding = isPacked ? { 'Content-Encoding': 'gzip' } : {};
  response.writeHead(200, { ...headers, ...encoding, 'Content-Length': String(body.length) });
  response.end(method === 'HEAD' ? undefined : body);
}

const signInRequest = z.object({ code: z.string().max(128) }).strict();

/** Exchanges the code of a one-time link for a session, by POST: a link that is only looked at is not used up. */
export const signInDoor = (pageSessions: PageSessions): Door => ({
  paths: ['/api/page/session'],
  contentSecurityPolicy: "default-src 'none'",
  async handle(request, response) {
    const { code } = await readJson(request, signInRequest);
    const signedIn = await pageSessions.signIn(code, request.headers['user-agent']);
    sendJson(response, 200, signedIn, { 'Cache-Control': 'no-store' });
  },
});
