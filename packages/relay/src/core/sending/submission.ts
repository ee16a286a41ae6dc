import type { AttachmentInfo, OperationParams } from '@agent-relay/protocol';
import type { Agent } from '../ports/store/agents.ts';
import type { Conversation } from '../ports/store/conversations.ts';
import type { ShownAddress } from '../ports/store/held.ts';
import type { Audience, ConversationKind, MessageDraft } from '../ports/store/messages.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Principal } from '../principal.ts';

/**
 * A message on its way to the store. Each step of sending takes it and returns it with what the step added, so that
 * its type says how far it is.
 */
export interface Submission {
  readonly principal: Principal;
  /** The agent of the principal. */
  readonly sender: Agent;
  /** Chosen by the sender; identifies the message for retries. */
  readonly clientId: string;
  readonly params: OperationParams<'SEND'>;
}

/** Its route is known, and its files were found. */
export interface RoutedSubmission extends Submission {
  readonly route: Route;
  readonly attachments: AttachmentInfo[];
}

/** Its conversation exists: from here on no reads are needed. */
export interface PlacedSubmission extends RoutedSubmission {
  readonly conversation: Conversation;
}

/** It is ready to be stored. */
export interface DraftedSubmission extends PlacedSubmission {
  readonly draft: MessageDraft;
}

/** Where a message goes. */
export interface Route extends ShownAddress {
  /** The workspace it is stored in: the recipient's. */
  workspace: Workspace;
  conversation: { kind: ConversationKind; key: string };
  audience: Audience;
  /** The recipient, if there is only one. */
  recipient?: Agent;
  /** The thread of the message it replies to. */
  thread?: string;
}
