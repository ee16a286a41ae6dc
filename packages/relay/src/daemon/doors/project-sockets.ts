import type { Server } from 'node:net';
import { isThere } from '@agent-relay/platform';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import { prepareSocketPath } from '@agent-relay/sdk/node';
import type { Workspace } from '../../core/ports/store/workspaces.ts';

interface Open {
  path: string;
  servers: Server[];
}

/** Listens for the clients of a project, on this path and next to it. */
export type Listen = (workspace: Workspace, path: string) => Array<Promise<Server>>;

/** The local sockets of the daemon, one for each project. */
export class ProjectSockets {
  readonly #env: Record<string, string | undefined>;
  readonly #listenFor: Listen;
  readonly #open = new Map<number, Promise<Open>>();
  readonly #paths = new Map<number, string>();
  readonly #unserved = new Map<number, { workspace: Workspace; error: RelayError }>();
  #isClosed = false;

  constructor(dataDirectory: string, listenFor: Listen) {
    this.#env = { ...process.env, RELAY_DATA_DIR: dataDirectory };
    this.#listenFor = listenFor;
  }

  /**
   * Opens the socket of a project. An open one stays as it is, unless its file was deleted; one that could not be
   * opened is tried again.
   */
  async open(workspace: Workspace): Promise<string> {
    if (this.#isClosed) throw new RelayError('ShuttingDown');
    const opening = this.#open.get(workspace.id) ?? this.#listen(workspace);
    this.#open.set(workspace.id, opening);
    const isCurrent = () => this.#open.get(workspace.id) === opening;
    const { path } = await opening.catch((error: unknown) => {
      if (isCurrent()) this.#open.delete(workspace.id);
      throw error;
    });
    if (await isThere(path)) return path;
    // Others may notice at the same time: only one of them opens it again.
    if (isCurrent()) await this.closeOne(workspace);
    return this.open(workspace);
  }

  /** The projects whose socket could not be opened, and why. */
  unserved(): Array<{ project: string; error: RelayError }> {
    return [...this.#unserved.values()].map(({ workspace, error }) => ({ project: workspace.name, error }));
  }

  path(workspace: Workspace): string | undefined {
    return this.#paths.get(workspace.id);
  }

  async closeOne(workspace: Workspace): Promise<void> {
    const open = this.#open.get(workspace.id);
    this.#open.delete(workspace.id);
    this.#paths.delete(workspace.id);
    this.#unserved.delete(workspace.id);
    if (open) await closeOpened(open);
  }

  /** Stops listening; existing connections stay. The socket files are removed with their servers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const opening of this.#open.values()) await closeOpened(opening);
  }

  async #listen(workspace: Workspace): Promise<Open> {
    try {
      const path = await prepareSocketPath(workspace.directory, this.#env);
      const servers = await allOrNone(this.#listenFor(workspace, path));
      this.#paths.set(workspace.id, path);
      this.#unserved.delete(workspace.id);
      return { path, servers };
    } catch (cause) {
      const error = isRelayError(cause) ? cause : cannotListen(workspace, cause);
      this.#unserved.set(workspace.id, { workspace, error });
      throw error;
    }
  }
}

const cannotListen = ({ name }: Workspace, cause: unknown): RelayError =>
  new RelayError('InvalidSettings', `The socket cannot be opened: ${(cause as Error).message}.`, {
    next: `Make room for it there, then run: agent-relay daemon start --project ${name}`,
    cause,
  });

/** A socket that failed to open needs no closing; the error was already reported. */
const closeOpened = (opening: Promise<Open>): Promise<void> =>
  opening.then(
    ({ servers }) => closeAll(servers),
    () => undefined,
  );

async function allOrNone(listening: Array<Promise<Server>>): Promise<Server[]> {
  try {
    return await Promise.all(listening);
  } catch (error) {
    const outcomes = await Promise.allSettled(listening);
    closeAll(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
    throw error;
  }
}

function closeAll(servers: Server[]): void {
  for (const server of servers) server.close();
}
