import type { AddressedMessage, Authority } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { StoredMessage } from '../ports/store/messages.ts';
import type { Runs } from '../terminals/runs.ts';
import type { Descriptions } from './descriptions.ts';

interface Parts {
  agents: Agents;
  runs: Runs;
  descriptions: Descriptions;
}

/** Messages as one recipient gets them, with the sender's authority: by ids, which outlive names. */
export class Addressing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  to(recipient: Agent, stored: StoredMessage): AddressedMessage {
    return { ...this.#parts.descriptions.stored(stored), authority: this.#authority(recipient, stored) };
  }

  #authority(
    recipient: Agent,
    { senderId, senderWorkspaceId, workspaceId, unverified }: StoredMessage,
  ): Authority {
    const { agents, runs } = this.#parts;
    if (unverified) return 'unverified';
    if (senderWorkspaceId !== workspaceId) return 'other_project';
    const sender = agents.byId(senderId);
    if (sender?.type === 'human') return 'person';
    if (sender?.type === 'system') return 'relay';
    if (sender && runs.of(recipient.id)?.parentId === sender.id) return 'parent';
    return sender?.lead ? 'lead' : 'peer';
  }
}
