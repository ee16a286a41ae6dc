import type { Appended, MessageDraft } from './messages.ts';

/** An address as readers of the message see it. */
export interface ShownAddress {
  to: string;
  channel?: string;
  group?: string[];
}

/** A message kept back by the loop governor: in no inbox until a person releases it. */
export interface HeldMessage {
  /** The id the message will have. */
  id: string;
  workspaceId: number;
  senderName: string;
  reason: string;
  heldAt: number;
  draft: MessageDraft;
  shown: ShownAddress;
  /** Once it is set, the text, the mentions and the files of the draft are gone. */
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
   * Keeps a message back, unless its sender has stored one of the same `clientId` before: then that one is returned, as
   * `appendMessage` does, and nothing is kept.
   */
  holdMessage(held: HeldMessage): Promise<Appended | undefined>;
  /** One that waits, or waited until it was settled. */
  findHeld(id: string): Promise<HeldMessage | undefined>;
  /** Those that wait, in the order they came. */
  listHeld(workspaceId: number): Promise<HeldMessage[]>;
  /** Ends the waiting of one; a released message was appended before. The first settlement stays. */
  settleHeld(id: string, settlement: HeldSettlement): Promise<void>;
}
