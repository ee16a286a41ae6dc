import { setTimeout } from 'node:timers/promises';
import { type AgentInfo, type Message, type PathInfo, safeText } from '@agent-relay/protocol';
import { connect, type Relay, type RelayEvents } from '../../packages/sdk/src/node/index.ts';
import type { TestDaemon } from '../kit/daemon.ts';

const STEADY_MS = 150;

/** A message, and how a recipient's model is told it. */
export interface SentMessage {
  id: string;
  envelope: string;
}

/** Another agent, who writes to wrapped agents and watches what becomes of it. */
export class Sender implements AsyncDisposable {
  readonly #relay: Relay;
  readonly name: string;

  private constructor(relay: Relay, name: string) {
    this.#relay = relay;
    this.name = name;
  }

  static async connect(daemon: TestDaemon, name: string): Promise<Sender> {
    const relay = await connect({ name, env: daemon.env, cwd: daemon.projectDirectory });
    await relay.watch();
    return new Sender(relay, name);
  }

  async send(to: string, content: string): Promise<SentMessage> {
    const { messageId } = await this.#relay.send(to, content);
    return { id: messageId, envelope: this.#envelope(messageId, content) };
  }

  /** Resolves when the agent's terminal is in this state. */
  async untilPath(agent: string, wanted: 'ready' | NonNullable<PathInfo['reason']>['code']): Promise<void> {
    const isThere = ({ state, reason }: PathInfo) => (state === 'ready' ? 'ready' : reason?.code) === wanted;
    await this.#until(['path.changed'], async () =>
      (await this.#relay.who())
        .filter(({ name }: AgentInfo) => name === agent)
        .some(({ paths }) => paths.some((path) => path.path === 'pty' && isThere(path))),
    );
  }

  /** Resolves when a terminal that has just become ready surely counts as such. */
  untilSteady(): Promise<void> {
    return setTimeout(STEADY_MS);
  }

  /** Resolves when the message was submitted, with its state and the path it took. */
  async untilInjected(id: string): Promise<{ state: string; path?: string | undefined }> {
    let state = '';
    let path: string | undefined;
    await this.#until(['delivery.injected', 'delivery.turn_started', 'delivery.uncertain'], async () => {
      const delivery = await this.#delivery(id);
      state = delivery?.state ?? '';
      path = delivery?.path;
      return ['injected', 'turn_started', 'uncertain'].includes(state);
    });
    return { state, path };
  }

  next(event: 'delivery.accepted'): Promise<void> {
    return new Promise((resolve) => this.#relay.once(event, () => resolve()));
  }

  async reasonOf(id: string): Promise<string | undefined> {
    return (await this.#delivery(id))?.reason?.code;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#relay.close();
  }

  async #delivery(id: string) {
    return (await this.#relay.trace(id)).deliveries[0];
  }

  async #until(events: ReadonlyArray<keyof RelayEvents>, holds: () => Promise<boolean>): Promise<void> {
    const deadline = AbortSignal.timeout(90_000);
    while (true) {
      const { promise: again, resolve } = Promise.withResolvers<void>();
      const stops = [...events, 'connected' as const].map((event) => this.#relay.on(event, () => resolve()));
      deadline.addEventListener('abort', () => resolve(), { once: true });
      const done = await holds();
      if (!done && !deadline.aborted) await again;
      for (const stop of stops) stop();
      if (done) return;
      if (deadline.aborted) throw new Error(`never came: ${events.join()}, ${holds}`);
    }
  }

  #envelope(id: Message['id'], content: string): string {
    const lines = safeText(content).replace(/^/gm, '| ');
    return `Relay message from ${this.name} [${id}]: from a peer agent\n${lines}`;
  }
}
