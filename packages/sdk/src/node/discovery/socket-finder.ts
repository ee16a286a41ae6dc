import { isRelayError } from '@agent-relay/protocol';
import type { OpenWire } from '../../connection/wire.ts';
import { unixSocketWire } from '../unix-socket.ts';
import {
  type Discovery,
  type DiscoveryOptions,
  locateSocket,
  projectAt,
  recordedSocket,
} from './discover.ts';

export interface SocketFinderOptions extends DiscoveryOptions {
  /** Overrides the search. */
  socketPath?: string;
}

/**
 * Where one client finds its daemon. It searches once: a client that reconnects never switches to another
 * project, and its socket stays in place when the project is renamed. Only if nothing listens there any more, it
 * searches again.
 */
export class SocketFinder {
  readonly #options: SocketFinderOptions;
  #found: Discovery | undefined;
  #isLost = false;

  constructor(options: SocketFinderOptions) {
    this.#options = options;
  }

  async find(): Promise<Discovery> {
    this.#found ??= (await this.#given()) ?? (await locateSocket(this.#options));
    if (this.#isLost && this.#found.source === '.relay/config.json')
      this.#found = (await recordedSocket(this.#options)) ?? this.#found;
    return this.#found;
  }

  /** The result of the search, once it had one. */
  get found(): Discovery | undefined {
    return this.#found;
  }

  readonly open: OpenWire = async (events, signal) => {
    try {
      const wire = await unixSocketWire(async () => (await this.find()).socketPath)(events, signal);
      this.#isLost = false;
      return wire;
    } catch (error) {
      this.#isLost = isRelayError(error, 'DaemonNotRunning');
      throw error;
    }
  };

  async #given(): Promise<Discovery | undefined> {
    const { socketPath, env = process.env } = this.#options;
    if (socketPath === undefined) return undefined;
    const project = await projectAt(socketPath, undefined, env);
    return { socketPath, ...(project === undefined ? {} : { project }), source: 'option' };
  }
}
