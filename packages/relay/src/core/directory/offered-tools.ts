import type { ToolDefinition } from '@agent-relay/protocol';
import type { Quotas } from '../governance/quotas.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { ToolStore } from '../ports/store/tools.ts';

/** The tools of agents. Only in the store: they are not needed to address a message. */
export class OfferedTools {
  readonly #store: ToolStore;
  readonly #quotas: Quotas;

  constructor(store: ToolStore, quotas: Quotas) {
    this.#store = store;
    this.#quotas = quotas;
  }

  /** Throws if they exceed the quota. */
  check(tools: ToolDefinition[] = []): void {
    this.#quotas.checkTools(tools);
  }

  /** Replaces the agent's tools, if given; clients send the same ones each time they connect. */
  async replace({ id }: Agent, tools: ToolDefinition[] | undefined): Promise<void> {
    if (tools === undefined) return;
    if (JSON.stringify(await this.#store.toolsOf(id)) === JSON.stringify(tools)) return;
    await this.#store.setTools(id, tools);
  }

  of({ id }: Agent): Promise<ToolDefinition[]> {
    return this.#store.toolsOf(id);
  }

  /** The names of the tools of each of the agents that offer any. */
  async names(agents: Agent[]): Promise<Map<number, string[]>> {
    const found = await this.#store.toolNames(agents.map(({ id }) => id));
    return new Map(found.map(({ agentId, names }) => [agentId, names]));
  }
}
