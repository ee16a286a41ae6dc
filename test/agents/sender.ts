import { setTimeout } from 'node:timers/promises';
import { type AgentInfo, isPathDown, type Message, type PathInfo, safeText } from '@agent-relay/protocol';
import { connect, type Relay, type RelayEvents } from '../../packages/sdk/src/node/index.ts';
import type { TestDaemon } from '../kit/daemon.ts';

const STEADY_MS = 150;

/** A message, and how a recipient's model is told it. */
export interface SentMessage {
  id: string;
  envelope: string;
}

/** Another agent, which writes to wrapped agents and watches the deliveries. */
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

  async send(
    to: string,
    content: string,
    { urgent = false }: { urgent?: boolean } = {},
  ): Promise<SentMessage> {
    const { messageId } = await this.#relay.send(to, content, urgent ? { importance: 'urgent' } : {});
    const notes = urgent ? ', urgent importance' : '';
    return { id: messageId, envelope: this.#envelope(messageId, notes, content) };
  }

  async knows(agent: string): Promise<boolean> {
    return (await this.#relay.who()).some(({ name }) => name === agent);
  }

  /** Resolves when the best path of the agent that works is in this state; it may be asked for by name. */
  async untilPath(
    agent: string,
    wanted: 'ready' | NonNullable<PathInfo['reason']>['code'],
    path?: PathInfo['path'],
    withinMs?: number,
  ): Promise<void> {
    const stateOf = ({ state, reason }: PathInfo) => (state === 'ready' ? 'ready' : reason?.code);
    const isWanted = async () => {
      const paths = (await this.#relay.who()).find(({ name }: AgentInfo) => name === agent)?.paths ?? [];
      const inUse = paths.find((one) => (path === undefined ? !isPathDown(one) : one.path === path));
      return inUse !== undefined && stateOf(inUse) === wanted;
    };
    await this.#until(['path.changed'], isWanted, withinMs);
  }

  async pathOf(id: string): Promise<string | undefined> {
    return (await this.#delivery(id))?.path;
  }

  /** Resolves when a terminal that has just become ready is certain to be. */
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

  /** Resolves when a path has it. */
  untilAccepted(id: string): Promise<void> {
    return this.#until(['delivery.accepted'], async () => (await this.#delivery(id))?.state === 'accepted');
  }

  next(event: 'delivery.accepted'): Promise<void> {
    return new Promise((resolve) => this.#relay.once(event, () => resolve()));
  }

  /** Resolves when the message waits for this reason. Between two hooks of a CLI it may be another one for a moment. */
  async untilReason(id: string, wanted: string): Promise<void> {
    await this.#until(['path.changed'], async () => (await this.reasonOf(id)) === wanted);
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

  async #until(
    events: ReadonlyArray<keyof RelayEvents>,
    holds: () => Promise<boolean>,
    withinMs = 90_000,
  ): Promise<void> {
    const deadline = AbortSignal.timeout(withinMs);
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

  #envelope(id: Message['id'], notes: string, content: string): string {
    const lines = safeText(content).replace(/^/gm, '| ');
    return `Relay message from ${this.name} [${id}]: from a peer agent${notes}\n${lines}`;
  }
}
