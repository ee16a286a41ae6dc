import type { Clock } from '../ports/clock.ts';
import type { Conversation } from '../ports/store/conversations.ts';
import type { Store } from '../ports/store.ts';
import type { Route } from './routes.ts';

/** Beyond so many the cache starts anew: it saves reads, it is not the truth. */
const MAX_CACHED = 100_000;

/** The conversations that messages go into, made the first time something is said in them. */
export class Conversations {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #cached = new Map<string, Conversation>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The one a route leads to, if it is known without asking the store. */
  known(route: Route): Conversation | undefined {
    return this.#cached.get(nameOf(route));
  }

  async ensure(route: Route): Promise<Conversation> {
    const known = this.known(route);
    if (known) return known;
    const conversation = await this.#store.ensureConversation({
      workspaceId: route.workspace.id,
      ...route.conversation,
      createdAt: this.#clock.now(),
    });
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear();
    this.#cached.set(nameOf(route), conversation);
    return conversation;
  }
}

const nameOf = ({ workspace, conversation }: Route): string => `${workspace.id} ${conversation.key}`;
