import {
  type AgentOffer,
  categoriesOf,
  categoryOf,
  descriptionsOf,
  nameKey,
  type OfferedTool,
  type ServerTool,
} from '@agent-relay/protocol';
import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { after, LIST_PAGE, page, pageByPlace } from '../reading/page.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

/** What agents offer each other. */
export function offerHandlers(relay: Relay): Handlers<'DISCOVER' | 'TOOLS'> {
  const { agents, presence, served, targets, tools } = relay;
  return {
    DISCOVER: async ({ principal: { workspace } }, { capability, tool, cursor }) => {
      const isFiltered = capability !== undefined || tool !== undefined;
      const wanted = capability && nameKey(capability);
      const owners = await ownersOf(relay, workspace, tool);
      const isWanted = ({ id, type, capabilities }: Agent) =>
        type !== 'system' &&
        presence.isOnline(id) &&
        (!isFiltered ||
          owners.has(id) ||
          (wanted !== undefined && capabilities.some((one) => nameKey(categoryOf(one)) === wanted)));
      const fitting = after(agents.list(workspace).filter(isWanted), cursor);
      const looked = fitting.slice(0, LIST_PAGE);
      const announced = await tools.names(looked);
      const found = looked.flatMap((agent): Array<{ id: number; offer: AgentOffer }> => {
        const { id, name, capabilities, lastSeenAt } = agent;
        const names = new Set([...(announced.get(id) ?? []), ...served.of(id).map((one) => one.name)]);
        const descriptions = descriptionsOf(capabilities);
        const offer = {
          name,
          capabilities: categoriesOf(capabilities),
          ...(descriptions && { descriptions }),
          tools: [...names],
          updatedAt: presence.offeredAt(id) ?? lastSeenAt,
        };
        return isFiltered || capabilities.length + names.size > 0 ? [{ id, offer }] : [];
      });
      const { messages: shown, cut } = page(found);
      const last = cut ? shown.at(-1)?.id : looked.at(-1)?.id;
      const isMore = cut || looked.length < fitting.length;
      return {
        agents: shown.map(({ offer }) => offer),
        ...(isMore && last !== undefined ? { next: String(last) } : {}),
      };
    },
    TOOLS: async ({ principal: { workspace } }, { agent: name, cursor }) => {
      const server = targets.backends.find(name);
      if (server !== undefined) {
        const { items, ...more } = pageByPlace(callable(targets.backends.tools(server)), cursor);
        return { tools: items, ...more };
      }
      const agent = agents.get(workspace, name);
      const live = served.of(agent.id);
      const isServed = new Set(live.map((tool) => tool.name));
      const announced = (await tools.of(agent)).filter((tool) => !isServed.has(tool.name));
      const all = [
        ...live.map((tool) => ({ ...tool, served: true })),
        ...announced.map((tool) => ({ ...tool, served: false })),
      ];
      const { items, ...more } = pageByPlace(all, cursor);
      return { tools: items, ...more };
    },
  };
}

/** The tools of an MCP server that may be called. */
const callable = (tools: readonly ServerTool[]): OfferedTool[] =>
  tools
    .filter(({ problem }) => problem === undefined)
    .map(({ name, description = '', inputSchema = {} }) => ({
      name,
      description,
      inputSchema,
      served: true,
    }));

/** The agents that have a tool of this name. */
async function ownersOf(
  { served, store }: Relay,
  { id }: Workspace,
  tool: string | undefined,
): Promise<Set<number>> {
  if (tool === undefined) return new Set();
  return new Set([...served.agentsServing(id, tool), ...(await store.toolOwners(id, tool))]);
}
