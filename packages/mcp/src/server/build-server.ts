import { Server } from '@modelcontextprotocol/server';
import { instructions } from '../prompts/instructions.ts';
import { VERSION } from '../version.ts';
import { offersActions, serveActionChanges } from './action-tools.ts';
import { serveSubscriptions } from './changes.ts';
import type { ClientContext } from './client-context.ts';
import { serveCompletions } from './completions.ts';
import { servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { serveTools } from './tools.ts';

export interface ServingOptions {
  /** `legacy` for the 2025 revisions, with a handshake; `modern` for 2026-07-28. */
  era: 'legacy' | 'modern';
  /** False for a server that serves one request only: its client is notified of changes another way. */
  lasting: boolean;
  /** False if the client gets the instructions of a gateway instead. Default: true. */
  instructing?: boolean;
}

/**
 * One MCP server for a client. Servers are cheap and created per connection, session or even request;
 * lasting state is in the context.
 */
export function buildServer(
  context: ClientContext,
  { era, lasting, instructing = true }: ServingOptions,
): Server {
  const { name } = context.participant;
  // A client of the newer era may have asked another server, which has ended.
  if (era === 'legacy' && instructing) context.naming.tell(name);
  const server = new Server(
    { name: 'agent-relay', title: 'Agent Relay', version: VERSION },
    {
      instructions: instructions(context.offering.tools.toolsets, context.participant),
      capabilities: {
        tools: offersActions(context) ? { listChanged: true } : {},
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        ...context.offering.capabilities,
      },
    },
  );
  server.onerror = context.onerror;
  serveTools(server, context);
  serveResources(server, context);
  servePrompts(server, context);
  serveCompletions(server, context);
  if (lasting) serveSubscriptions(server, context, era);
  if (lasting && offersActions(context)) serveActionChanges(server, context);
  return server;
}
