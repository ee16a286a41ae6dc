import { type Caller, unseen } from '../admission/caller.ts';
import type { Participants } from './participants.ts';

/** The sessions that a gateway keeps for clients of the door: how many there are, and that none outlives its key. */
export class GatewaySessions {
  readonly #participants: Participants;
  #open = 0;

  constructor(participants: Participants) {
    this.#participants = participants;
  }

  get size(): number {
    return this.#open;
  }

  /** Notes a session, which is ended when the key of its holder is revoked; the function returned when it has ended. */
  begin(caller: Caller, end: () => Promise<void>): () => void {
    this.#open += 1;
    const release = isRevocable(caller) ? this.#watchKey(caller, end) : undefined;
    return () => {
      this.#open -= 1;
      release?.();
    };
  }

  /** The relay ends the connections of a key that is revoked: each key has one here, to learn of it. */
  #watchKey(caller: Caller, end: () => Promise<void>): () => void {
    const lease = this.#participants.shared(unseen(caller));
    const stop = lease.onclose(end);
    lease.participant.start();
    return () => {
      stop();
      lease.release();
    };
  }
}

const isRevocable = ({ access: { kind } }: Caller): boolean =>
  kind === 'workspaceKey' || kind === 'agentToken';
