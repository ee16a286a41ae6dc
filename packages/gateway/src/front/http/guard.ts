import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { servedHosts } from '@agent-relay/platform/http';

export interface GuardOptions {
  /** The address that is listened on. Default: 127.0.0.1. */
  host?: string;
  /** The key that callers show. */
  apiKey?: string | undefined;
  /** Whether a request comes from a program of the user this process runs for; asked where there is no key. */
  isOwnUser?: ((request: IncomingMessage) => Promise<boolean>) | undefined;
  /** Host names beside those of the address that requests may name. */
  allowedHosts?: string[];
  /** Origins of web pages that may call. None by default. */
  allowedOrigins?: string[];
}

export interface Refusal {
  status: number;
  message: string;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Decides who may talk to the HTTP front, before anything of the request is read. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #isServed: (name: string) => boolean;
  /** Host headers that were found good, as they are written. */
  readonly #goodHosts = new Set<string>();
  readonly #ownUser = new WeakMap<Socket, Promise<boolean>>();

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#isServed = servedHosts(options.host ?? '127.0.0.1', options.allowedHosts ?? []);
  }

  async check(request: IncomingMessage): Promise<Refusal | undefined> {
    const { apiKey, isOwnUser = async () => false, allowedOrigins = [] } = this.#options;
    const { host = '' } = request.headers;
    if (!this.#goodHosts.has(host)) {
      const name = hostName(`http://${host}`);
      if (name === undefined || !this.#isServed(name)) {
        return { status: 403, message: 'This Host is not served here.' };
      }
      if (this.#goodHosts.size < 100) this.#goodHosts.add(host);
    }
    const { origin } = request.headers;
    if (
      origin !== undefined &&
      !allowedOrigins.includes(origin) &&
      !LOOPBACK.includes(hostName(origin) ?? '')
    ) {
      return { status: 403, message: 'This Origin may not call.' };
    }
    if (apiKey !== undefined) {
      return sameKey(request.headers.authorization, apiKey)
        ? undefined
        : { status: 401, message: 'Unauthorized' };
    }
    const { socket } = request;
    const own = this.#ownUser.get(socket) ?? isOwnUser(request);
    this.#ownUser.set(socket, own);
    return (await own) ? undefined : { status: 401, message: 'Unauthorized: another user needs a key.' };
  }
}

function sameKey(header: string | undefined, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${key}`));
}

const hostName = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);
