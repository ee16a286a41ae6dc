import { RelayError } from '@agent-relay/sdk';
import type { Connect } from './identity.ts';
import { Participant } from './participant.ts';

export const DEFAULT_ROLES = ['pm', 'dev-a', 'dev-b'];

/** The agents whose names a session may declare, each with its own connection from first use on. */
export class Roles {
  readonly names: readonly string[];
  readonly #connect: Connect;
  readonly #participants = new Map<string, Participant>();

  constructor(names: readonly string[], connect: Connect) {
    this.names = names;
    this.#connect = connect;
  }

  get(name: string): Participant {
    if (!this.names.includes(name)) {
      throw new RelayError('AgentNotFound', `There is no role "${name}".`, {
        next: `Use one of: ${this.names.join(', ')}.`,
      });
    }
    const known = this.#participants.get(name);
    if (known) return known;
    const participant = new Participant(this.#connect, { name, unverified: true });
    this.#participants.set(name, participant);
    return participant;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#participants.values()].map((participant) => participant.close()));
  }
}
