import { Server } from '@modelcontextprotocol/server';
import { instructions } from '../prompts/instructions.ts';
import { VERSION } from '../version.ts';
import { serveSubscriptions } from './changes.ts';
import { serveCompletions } from './completions.ts';
import type { Desk } from './desk.ts';
import { mainToolset, servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { serveTools } from './tools.ts';

export interface ServingOptions {
  /** `legacy` for the 2025 revisions, with a handshake; `modern` for 2026-07-28. */
  era: 'legacy' | 'modern';
  /** False for a server that lives for one request only: changes reach its client another way. */
  lasting: boolean;
}

/**
 * One MCP server in front of a desk. Servers are cheap and come and go with connections, sessions or even requests;
 * what lasts is in the desk.
 */
export function buildServer(desk: Desk, { era, lasting }: ServingOptions): Server {
  const server = new Server(
    { name: 'agent-relay', title: 'Agent Relay', version: VERSION },
    {
      instructions: instructions(mainToolset(desk.catalogue.tools.toolsets).wording),
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        ...desk.catalogue.capabilities,
      },
    },
  );
  server.onerror = desk.onerror;
  serveTools(server, desk);
  serveResources(server, desk);
  servePrompts(server, desk);
  serveCompletions(server, desk);
  if (lasting) serveSubscriptions(server, desk, era);
  return server;
}
