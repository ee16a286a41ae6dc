import type { NewId } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Clock } from '../ports/clock.ts';
import { findMentions } from './mentions.ts';
import type { DraftedSubmission, PlacedSubmission } from './submission.ts';

/** The last step before the store: creates the message as it will be stored. */
export class Drafts {
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #agents: Agents;

  constructor(clock: Clock, newId: NewId, agents: Agents) {
    this.#clock = clock;
    this.#newId = newId;
    this.#agents = agents;
  }

  draft(submission: PlacedSubmission): DraftedSubmission {
    const { principal, sender, clientId, params, route, attachments, conversation } = submission;
    const id = this.#newId('msg');
    const draft = {
      id,
      clientId,
      workspaceId: route.workspace.id,
      conversationId: conversation.id,
      senderId: sender.id,
      unverified: principal.unverified,
      audience: route.audience,
      body: params.content,
      // A question without a thread gets one, so that the answer can be recognized.
      thread: params.thread ?? route.thread ?? (params.await ? id : undefined),
      replyTo: params.replyTo,
      kind: params.kind,
      importance: params.importance,
      awaitsReply: params.await !== undefined,
      createdAt: this.#clock.now(),
      expiresAt: params.expiresAt,
      mentions: findMentions(params.content, (name) => this.#agents.find(route.workspace, name)),
      attachments,
    };
    return { ...submission, draft };
  }
}
