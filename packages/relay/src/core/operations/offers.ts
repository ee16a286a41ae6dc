import type { AgentOffer } from '@agent-relay/protocol';
import { after, LIST_PAGE, page } from '../reading/page.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

/** What agents can do for each other. */
export function offerHandlers({ agents, presence, tools }: Relay): Handlers<'DISCOVER' | 'TOOLS'> {
  return {
    DISCOVER: async ({ principal: { workspace } }, { capability, tool, cursor }) => {
      const isWanted = ({ capabilities, tools: names }: AgentOffer) =>
        capability === undefined && tool === undefined
          ? capabilities.length + names.length > 0
          : (capability !== undefined && capabilities.includes(capability)) ||
            (tool !== undefined && names.includes(tool));
      const online = after(
        agents.list(workspace).filter(({ id, type }) => type !== 'system' && presence.isOnline(id)),
        cursor,
      );
      const looked = online.slice(0, LIST_PAGE);
      const names = await tools.names(looked);
      const found = looked.flatMap(({ id, name, capabilities }) => {
        const offer = { name, capabilities, tools: names.get(id) ?? [] };
        return isWanted(offer) ? [{ id, offer }] : [];
      });
      const { messages: shown, cut } = page(found);
      const last = cut ? shown.at(-1)?.id : looked.at(-1)?.id;
      const isMore = cut || looked.length < online.length;
      return {
        agents: shown.map(({ offer }) => offer),
        ...(isMore && last !== undefined ? { next: String(last) } : {}),
      };
    },
    TOOLS: async ({ principal: { workspace } }, { agent }) => ({
      tools: await tools.of(agents.get(workspace, agent)),
    }),
  };
}
