import { setTimeout as delay } from 'node:timers/promises';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { argumentsOf } from './arguments.ts';
import type { Command } from './command.ts';
import { callErrorNotice, discoveryNotice, errorNotice, mistakeNotice, resultNotice } from './notices.ts';

export interface RunnerOptions {
  /** The run that notices are sent for. */
  run: string;
  /** What the agents it starts inherit. */
  env: Record<string, string> | undefined;
}

/** A tool may have to wait for a person's consent. */
const CALL_MS = 120_000;
/** Maximum number of concurrent calls; more are refused. */
const MOST_CALLS = 8;
/** Maximum number of errors reported in a row: an agent that discusses them causes more. */
const MOST_ERRORS = 5;
const RETRY_MS = 1000;

/**
 * Runs an agent's commands as that agent, one at a time, except calls, which take time. Results are sent to the agent as
 * notices of the relay. Each message and each notice has its own id, so that none is stored twice, however often it is
 * sent.
 */
export class CommandRunner {
  readonly #relay: Relay;
  readonly #options: RunnerOptions;
  #last: Promise<void> = Promise.resolve();
  #count = 0;
  #calls = 0;
  #errors = 0;
  #ended = false;

  constructor(relay: Relay, options: RunnerOptions) {
    this.#relay = relay;
    this.#options = options;
  }

  run(command: Command): void {
    const id = `${this.#options.run}_${++this.#count}`;
    this.#last = this.#last.then(() => this.#perform(command, id));
  }

  /** Starts nothing new; resolves when pending messages are sent, if the daemon is reachable. */
  async end(): Promise<void> {
    if (this.#relay.state !== 'connected') this.#ended = true;
    await this.#last;
    this.#ended = true;
  }

  async #perform(command: Command, id: string): Promise<void> {
    if (this.#ended) return;
    if (command.kind === 'mistake') return this.#refused(id, mistakeNotice(command));
    if (command.kind === 'call') return this.#begin(command, id);
    try {
      await this.#do(command, id);
      this.#errors = 0;
    } catch (error) {
      await this.#refused(id, errorNotice(lineOf(command), asRelayError(error)));
    }
  }

  async #do(command: Exclude<Command, { kind: 'mistake' | 'call' }>, id: string): Promise<void> {
    const relay = this.#relay;
    switch (command.kind) {
      case 'send': {
        const { to, body, thread } = command;
        const options = { id, ...(thread !== undefined && { thread }) };
        await this.#persist(() => relay.send(to, body, options));
        return;
      }
      case 'spawn': {
        const { name, cli, task } = command;
        const { env } = this.#options;
        // The relay reports when it is ready.
        await relay.workers.spawn(name, cli, { waitMs: 0, ...(task && { task }), ...(env && { env }) });
        return this.#tell(id, `Worker "${name}" spawned successfully. It will message you when ready.`);
      }
      case 'release':
        await relay.workers.release(command.name);
        return this.#tell(id, `Worker "${command.name}" released.`);
      case 'discover': {
        const { kind, ...wanted } = command;
        return this.#tell(id, discoveryNotice(wanted, await relay.discover(wanted)));
      }
    }
  }

  /** Calls take time: later commands do not wait for them. */
  async #begin(command: Extract<Command, { kind: 'call' }>, id: string): Promise<void> {
    const target = `${command.server}.${command.tool}`;
    if (this.#calls >= MOST_CALLS) {
      const error = new RelayError('LimitReached', `${MOST_CALLS} calls are running.`, {
        next: 'Wait for their results.',
      });
      return this.#refused(id, callErrorNotice(target, error));
    }
    this.#calls++;
    void this.#call(command, target)
      .then(
        (notice) => this.#tell(id, notice),
        (error) => this.#refused(id, callErrorNotice(target, asRelayError(error))),
      )
      .finally(() => this.#calls--);
  }

  async #call({ server, tool, args }: Extract<Command, { kind: 'call' }>, target: string): Promise<string> {
    const isJson = args === '' || args.startsWith('{');
    const offered = isJson ? [] : await this.#relay.tools(server);
    const schema = offered.find(({ name }) => name === tool)?.inputSchema;
    const value = await this.#relay.call(target, argumentsOf(args, schema), { timeoutMs: CALL_MS });
    this.#errors = 0;
    return resultNotice(target, value);
  }

  async #refused(id: string, notice: string): Promise<void> {
    if (++this.#errors > MOST_ERRORS) return;
    const last =
      this.#errors === MOST_ERRORS ? '\nFurther errors are not reported until a command works.' : '';
    await this.#tell(id, `${notice}${last}`);
  }

  /** A notice is delivered like any message, when the agent can take it. */
  async #tell(id: string, content: string): Promise<void> {
    const note = { run: this.#options.run, id, content };
    // The agent was removed, or the daemon takes no notices for it: there is nobody to tell.
    await this.#persist(() => this.#relay.request('RUN_NOTE', note)).catch(ignoreRelayErrors);
  }

  /** Repeats until the daemon has taken it; the id prevents duplicates. */
  async #persist(request: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await request();
        return;
      } catch (error) {
        if (!isRelayError(error) || !error.retryable || this.#ended || this.#relay.state === 'closed')
          throw error;
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
  }
}

function lineOf(command: Exclude<Command, { kind: 'mistake' | 'call' }>): string {
  switch (command.kind) {
    case 'send':
      return `->relay:${command.to}`;
    case 'discover':
      return '->relay:discover';
    default:
      return `->relay:${command.kind} ${command.name}`;
  }
}

const asRelayError = (error: unknown): RelayError =>
  isRelayError(error) ? error : new RelayError('Internal', String(error), { cause: error });

function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
