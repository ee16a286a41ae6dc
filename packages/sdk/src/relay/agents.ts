import type { ClientSession } from '../connection/client-session.ts';

/** What the owner of the project may do to its agents. */
export class Agents {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Gives an agent another name; its token, inbox and messages stay its own. */
  async rename(agent: string, name: string): Promise<void> {
    await this.#session.request('AGENT_RENAME', { agent, name });
  }

  /** Makes an agent the lead, or no longer; says whether a person or a program is behind it. */
  async set(agent: string, changes: { type?: 'agent' | 'human'; lead?: boolean }): Promise<void> {
    await this.#session.request('AGENT_SET', { agent, ...changes });
  }

  /** Takes an agent away: its connections end, its name is free again, what it wrote stays. */
  async remove(agent: string): Promise<void> {
    await this.#session.request('AGENT_REMOVE', { agent });
  }

  /** Lets an agent from outside this machine write into another project, or, with `allowed: false`, no longer. */
  async grant(agent: string, project: string, { allowed = true }: { allowed?: boolean } = {}): Promise<void> {
    await this.#session.request('GRANT', { agent, project, allowed });
  }
}
