import type { ServerStatus } from '../front/tools/status.ts';
import { counted } from './counted.ts';
import type { Log } from './log.ts';

interface Logged {
  state: string;
  invalid: Set<string>;
}

/** Logs the state of each server when it changes. It reads the same status that clients see, so the two agree. */
export class ServerLog {
  readonly #read: () => ServerStatus[];
  readonly #log: Log;
  readonly #onChange: () => void;
  #logged = new Map<string, Logged>();
  #scheduled = false;

  /** `onChange` is called when a state was logged, or a server is gone. */
  constructor(read: () => ServerStatus[], log: Log, onChange: () => void = () => undefined) {
    this.#read = read;
    this.#log = log;
    this.#onChange = onChange;
  }

  /** Something about a server changed. All changes of one turn of the event loop are logged together. */
  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Logs what changed since the last time. */
  flush(): void {
    this.#scheduled = false;
    const before = this.#logged;
    this.#logged = new Map();
    for (const server of this.#read()) {
      const { invalid, state } = this.#compare(server, before.get(server.name));
      this.#logged.set(server.name, { invalid, state });
    }
    const states = (logged: Map<string, Logged>) =>
      [...logged].map(([name, { state }]) => `${name} ${state}`).join('\n');
    if (states(before) !== states(this.#logged)) this.#onChange();
  }

  #compare(server: ServerStatus, before: Logged | undefined): Logged {
    const invalid = server.connected ? invalidLines(server) : (before?.invalid ?? new Set());
    for (const line of invalid) if (!before?.invalid.has(line)) this.#log.warn(line);
    const state = stateLine(server);
    if (state !== before?.state) this.#log[levelOf(server)](state);
    return { invalid, state };
  }
}

/** Of a server that is connected: what is remembered of the last connection is no news. */
const invalidLines = ({ name: server, invalid_tools: invalid = [] }: ServerStatus): Set<string> =>
  new Set(invalid.map(({ name, reason }) => `Invalid tool from ${server}: ${name} - ${reason}`));

function stateLine({ name, health, connected, tools, error }: ServerStatus): string {
  const offered = connected ? ` (${counted(tools, 'tool')})` : '';
  return `${name}: ${health}${offered}${error === undefined ? '' : `: ${error}`}`;
}

const levelOf = ({ health }: ServerStatus): 'debug' | 'info' | 'warn' => {
  if (health === 'healthy') return 'info';
  return health === 'degraded' || health === 'failed' ? 'warn' : 'debug';
};
