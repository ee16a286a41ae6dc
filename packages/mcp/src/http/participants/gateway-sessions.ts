import { type Caller, unseen } from '../admission/caller.ts';
import type { Participants } from './participants.ts';

/** The sessions a gateway keeps for clients of the door: counts them, and ends them when their key is revoked. */
export class GatewaySessions {
  readonly #participants: Participants;
  #open = 0;

  constructor(participants: Participants) {
    this.#participants = participants;
  }

  get size(): number {
    return this.#open;
  }

  /** Adds a session, which is ended when its key is revoked; call the returned function when it has ended. */
  begin(caller: Caller, end: () => Promise<void>): () => void {
    this.#open += 1;
    const release = isRevocable(caller) ? this.#watchKey(caller, end) : undefined;
    return () => {
      this.#open -= 1;
      release?.();
    };
  }

  /** The relay closes the connections of a revoked key: one connection per key is kept to notice that. */
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
