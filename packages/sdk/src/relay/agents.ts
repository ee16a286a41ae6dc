import type { ClientSession } from '../connection/client-session.ts';

/** Agent administration, for the owner of the project. */
export class Agents {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Renames an agent; it keeps its token, inbox and messages. */
  async rename(agent: string, name: string): Promise<void> {
    await this.#session.request('AGENT_RENAME', { agent, name });
  }

  /** Sets whether an agent is the lead, and whether it is a person or a program. */
  async set(agent: string, changes: { type?: 'agent' | 'human'; lead?: boolean }): Promise<void> {
    await this.#session.request('AGENT_SET', { agent, ...changes });
  }

  /** Removes an agent: its connections are closed, its name is free again, its messages stay. */
  async remove(agent: string): Promise<void> {
    await this.#session.request('AGENT_REMOVE', { agent });
  }

  /** Lets an agent from another machine write to another project; `allowed: false` revokes that. */
  async grant(agent: string, project: string, { allowed = true }: { allowed?: boolean } = {}): Promise<void> {
    await this.#session.request('GRANT', { agent, project, allowed });
  }
}
