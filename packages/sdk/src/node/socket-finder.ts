import { isRelayError } from '@agent-relay/protocol';
import type { OpenWire } from '../connection/wire.ts';
import {
  type Discovery,
  type DiscoveryOptions,
  locateSocket,
  projectOfPath,
  recordedSocket,
} from './discover.ts';
import { findSocketPath } from './locations.ts';
import { renamedTo } from './renames.ts';
import { unixSocketWire } from './unix-socket.ts';

export interface SocketFinderOptions extends DiscoveryOptions {
  /** Wins over every search. */
  socketPath?: string;
}

/**
 * Where one client finds its daemon. It is looked for once: a client that reconnects never wanders off to another
 * project. Only when nobody listens there any more it looks where its project is now: it may have been renamed.
 */
export class SocketFinder {
  readonly #options: SocketFinderOptions;
  #found: Discovery | undefined;
  #isLost = false;

  constructor(options: SocketFinderOptions) {
    this.#options = options;
  }

  async find(): Promise<Discovery> {
    this.#found ??= this.#given() ?? (await locateSocket(this.#options));
    if (this.#isLost) this.#found = (await this.#moved(this.#found)) ?? this.#found;
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

  async #moved({ project: before, source }: Discovery): Promise<Discovery | undefined> {
    const { env = process.env } = this.#options;
    const project = before && (await renamedTo(before, env));
    const socketPath = project && (await findSocketPath(project, env));
    if (socketPath) return { socketPath, project, source };
    return source === '.relay/config.json' ? recordedSocket(this.#options) : undefined;
  }

  #given(): Discovery | undefined {
    const { socketPath, env = process.env } = this.#options;
    if (socketPath === undefined) return undefined;
    const project = this.#options.project ?? projectOfPath(socketPath, env);
    return { socketPath, ...(project === undefined ? {} : { project }), source: 'option' };
  }
}
