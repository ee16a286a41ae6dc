import { isRelayError } from '@agent-relay/protocol';
import type { OpenWire } from '../connection/wire.ts';
import {
  type Discovery,
  type DiscoveryOptions,
  locateSocket,
  projectAt,
  recordedSocket,
} from './discover.ts';
import { unixSocketWire } from './unix-socket.ts';

export interface SocketFinderOptions extends DiscoveryOptions {
  /** Wins over every search. */
  socketPath?: string;
}

/**
 * Where one client finds its daemon. It is looked for once: a client that reconnects never wanders off to another
 * project, and the socket of its own stays where it is under every name. Only when nobody listens there any more, it
 * looks what is recorded by then.
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
    const project = await projectAt(socketPath, this.#options.project, env);
    return { socketPath, ...(project === undefined ? {} : { project }), source: 'option' };
  }
}
