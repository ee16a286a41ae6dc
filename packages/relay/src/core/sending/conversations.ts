import type { Clock } from '../ports/clock.ts';
import type { Conversation, ConversationStore } from '../ports/store/conversations.ts';
import type { PlacedSubmission, Route, RoutedSubmission } from './submission.ts';

/** Beyond this size the cache is cleared; it only saves reads. */
const MAX_CACHED = 100_000;

/** The conversations that messages go into, created with the first message. */
export class Conversations {
  readonly #store: ConversationStore;
  readonly #clock: Clock;
  readonly #cached = new Map<string, Conversation>();

  constructor(store: ConversationStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Places a message if its conversation is known without asking the store. */
  placeIfKnown(submission: RoutedSubmission): PlacedSubmission | undefined {
    const conversation = this.#cached.get(nameOf(submission.route));
    return conversation && { ...submission, conversation };
  }

  async place(submission: RoutedSubmission): Promise<PlacedSubmission> {
    return (
      this.placeIfKnown(submission) ?? { ...submission, conversation: await this.#ensure(submission.route) }
    );
  }

  async #ensure(route: Route): Promise<Conversation> {
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
