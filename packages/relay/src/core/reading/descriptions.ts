import type { AttachmentInfo, Message } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { ShownAddress } from '../ports/store/held.ts';
import type { MessageDraft, StoredMessage } from '../ports/store/messages.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { agentIds } from '../sending/routes.ts';

/** Turns stored data into what readers see: ids become names. */
export class Descriptions {
  readonly #agents: Agents;
  readonly #workspaces: Workspaces;

  constructor(agents: Agents, workspaces: Workspaces) {
    this.#agents = agents;
    this.#workspaces = workspaces;
  }

  readonly stored = (stored: StoredMessage): Message => {
    const channel = stored.channelName === undefined ? undefined : `#${stored.channelName}`;
    const group = stored.conversationKind === 'group' ? this.#names(stored.conversationKey) : undefined;
    const to =
      stored.conversationKind === 'broadcast'
        ? '*'
        : (channel ??
          group?.filter((name) => name !== stored.senderName).join(', ') ??
          stored.recipientName ??
          'a removed agent');
    return this.#message(stored, {
      seq: stored.seq,
      from: stored.senderName,
      to,
      channel,
      group,
      fromWorkspaceId: stored.senderWorkspaceId,
      mentions: stored.mentions,
      redacted: stored.redactedAt !== undefined,
    });
  };

  /** The same for a reader in a workspace: for messages it sent to another one, it includes the project. */
  readonly seenFrom = (workspace: Workspace, stored: StoredMessage): Message => {
    const { fromProject, ...message } = this.stored(stored);
    if (stored.workspaceId === workspace.id)
      return fromProject === undefined ? message : { ...message, fromProject };
    return { ...message, to: `${this.#project(stored.workspaceId)}:${message.to}` };
  };

  /** A newly stored message, described without reading it back. */
  draft(
    draft: MessageDraft,
    seq: number,
    sender: { name: string; workspaceId: number },
    address: ShownAddress,
  ): Message {
    return this.#message(draft, {
      seq,
      from: sender.name,
      to: address.to,
      channel: address.channel,
      group: address.group,
      fromWorkspaceId: sender.workspaceId,
      mentions: draft.mentions.map(({ name }) => name),
      redacted: false,
    });
  }

  #message(
    fields: Omit<MessageDraft, 'audience' | 'clientId' | 'mentions'>,
    names: {
      seq: number;
      from: string;
      to: string;
      channel: string | undefined;
      group: string[] | undefined;
      fromWorkspaceId: number;
      mentions: string[];
      redacted: boolean;
    },
  ): Message {
    const message: Message = {
      seq: names.seq,
      id: fields.id,
      from: names.from,
      to: names.to,
      kind: fields.kind,
      importance: fields.importance,
      content: fields.body,
      ts: fields.createdAt,
    };
    const fromType = this.#agents.byId(fields.senderId)?.type ?? 'agent';
    if (fromType !== 'agent') message.fromType = fromType;
    if (fields.unverified) message.unverified = true;
    if (names.fromWorkspaceId !== fields.workspaceId)
      message.fromProject = this.#project(names.fromWorkspaceId);
    if (names.channel !== undefined) message.channel = names.channel;
    if (names.group !== undefined) message.group = names.group;
    if (fields.thread !== undefined) message.thread = fields.thread;
    if (fields.replyTo !== undefined) message.replyTo = fields.replyTo;
    if (fields.expiresAt !== undefined) message.expiresAt = fields.expiresAt;
    if (fields.awaitsReply) message.awaitsReply = true;
    if (names.mentions.length > 0) message.mentions = names.mentions;
    if (fields.attachments.length > 0) message.attachments = fields.attachments.map(attachmentInfo);
    if (names.redacted) message.redacted = true;
    return message;
  }

  #project(workspaceId: number): string {
    return this.#workspaces.list().find(({ id }) => id === workspaceId)?.name ?? 'a removed project';
  }

  #names(conversationKey: string): string[] {
    return agentIds(conversationKey)
      .map((id) => this.#agents.byId(id)?.name ?? 'a removed agent')
      .sort();
  }
}

/** What readers see of a file. */
export const attachmentInfo = ({ id, name, mediaType, size, sha256 }: AttachmentInfo): AttachmentInfo => ({
  id,
  name,
  mediaType,
  size,
  sha256,
});
