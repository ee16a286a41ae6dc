import type { Appended, MessageDraft } from './messages.ts';

/** An address as readers of the message see it. */
export interface ShownAddress {
  to: string;
  channel?: string;
  group?: string[];
}

/** A message held by the loop governor: in no inbox until a person releases it. */
export interface HeldMessage {
  /** The id the message will have. */
  id: string;
  workspaceId: number;
  senderName: string;
  reason: string;
  heldAt: number;
  draft: MessageDraft;
  shown: ShownAddress;
  /** Once it is set, the text, mentions and files of the draft are deleted. */
  settled?: HeldSettlement;
}

/** What a person decided about a held message. */
export interface HeldSettlement {
  outcome: 'released' | 'discarded';
  by: string;
  at: number;
}

export interface HeldStore {
  /**
   * Holds a message, unless its sender has already stored one with the same `clientId`: then that one is returned, as
   * `appendMessage` does, and nothing is held.
   */
  holdMessage(held: HeldMessage): Promise<Appended | undefined>;
  /** A held message, waiting or settled. */
  findHeld(id: string): Promise<HeldMessage | undefined>;
  /** The waiting ones, oldest first. */
  listHeld(workspaceId: number): Promise<HeldMessage[]>;
  /** Settles one; a released message was appended before. The first settlement stays. */
  settleHeld(id: string, settlement: HeldSettlement): Promise<void>;
}
