import type { ParticipantOptions, Relay } from '@agent-relay/sdk';
import { passingName } from '../../participant/identity.ts';
import { Participant } from '../../participant/participant.ts';
import { Roles } from '../../participant/roles.ts';
import { type Access, accessId, withCredentials } from '../admission/access.ts';
import type { Caller } from '../admission/caller.ts';

type ConnectFor = (profile: ParticipantOptions, access: Access) => Promise<Relay>;

interface Entry {
  participant: Participant;
  users: number;
  timer: NodeJS.Timeout | undefined;
  /** Cleanup when it is closed. */
  onclose: Set<() => Promise<void>>;
}

/** A participant while it is in use. */
export interface Lease {
  readonly participant: Participant;
  /**
   * Calls a function when the participant is closed, because it is no longer used or the relay has refused it. The
   * returned function undoes that.
   */
  onclose(action: () => Promise<void>): () => void;
  /** It is not in use at the moment, but kept. */
  unused(): void;
  release(): void;
}

/** The participants of the door. All requests and sessions with the same credential and name share one. */
export class Participants {
  readonly #connect: ConnectFor;
  readonly #roleNames: readonly string[];
  readonly #lingerMs: number;
  readonly #onerror: (error: unknown) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #roles = new Map<string, Roles>();

  constructor(
    connect: ConnectFor,
    options: { roles: readonly string[]; lingerMs: number; onerror(error: unknown): void },
  ) {
    this.#connect = connect;
    this.#roleNames = options.roles;
    this.#lingerMs = options.lingerMs;
    this.#onerror = options.onerror;
  }

  /** The shared participant of a caller. */
  shared({ access, name, key }: Caller): Lease {
    const entry = this.#entries.get(key) ?? this.#open(key, access, name === undefined ? {} : { name });
    return this.#lease(entry, () => {
      entry.timer = setTimeout(() => this.#close(key, entry), this.#lingerMs).unref();
    });
  }

  /** A participant of one session, named after its client. */
  ofSession({ access }: Caller, sessionId: string): Lease {
    const key = `session ${sessionId}`;
    const entry = this.#open(key, access, {}, passingName('mcp'));
    return {
      ...this.#lease(entry, () => this.#close(key, entry)),
      // Clients rarely end their sessions; a silent one must not appear online as long as its session exists.
      unused: () => entry.participant.restAfter(this.#lingerMs),
    };
  }

  /** The roles shared by the clients of one credential. */
  roles(access: Access): Roles {
    const key = accessId(access);
    const known = this.#roles.get(key);
    if (known) return known;
    const roles = new Roles(this.#roleNames, (role) => this.#connectWith(access, role));
    if (this.#roleNames.length > 0) this.#roles.set(key, roles);
    return roles;
  }

  async close(): Promise<void> {
    for (const [key, entry] of [...this.#entries]) this.#close(key, entry);
    await Promise.all([...this.#roles.values()].map((roles) => roles.close()));
  }

  #connectWith(access: Access, profile: ParticipantOptions): Promise<Relay> {
    return this.#connect(withCredentials(access, profile), access);
  }

  #open(key: string, access: Access, profile: ParticipantOptions, passingName?: string): Entry {
    const participant = new Participant((wanted) => this.#connectWith(access, wanted), profile, passingName);
    const entry: Entry = { participant, users: 0, timer: undefined, onclose: new Set() };
    this.#entries.set(key, entry);
    participant.events.once('refused', () => this.#close(key, entry));
    return entry;
  }

  #lease(entry: Entry, unused: () => void): Lease {
    clearTimeout(entry.timer);
    entry.users += 1;
    return {
      participant: entry.participant,
      onclose: (action) => {
        entry.onclose.add(action);
        return () => entry.onclose.delete(action);
      },
      // Others may still use it.
      unused: () => undefined,
      release: () => {
        entry.users -= 1;
        if (entry.users === 0) unused();
      },
    };
  }

  #close(key: string, entry: Entry): void {
    clearTimeout(entry.timer);
    // Already closed by a refusal; there may be a new one under its key.
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    const ends = [...entry.onclose].map((action) => action());
    Promise.all([entry.participant.close(), ...ends]).catch(this.#onerror);
  }
}
