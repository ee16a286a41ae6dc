import type { NextSteps } from '@agent-relay/protocol';
import type { ServerCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Prompt } from '../framework/prompt.ts';
import type { Resource, ResourceTemplate } from '../framework/resource.ts';
import type { ToolTable } from '../framework/tool-table.ts';
import type { Membership } from '../participant/membership.ts';
import type { Participant } from '../participant/participant.ts';
import type { Roles } from '../participant/roles.ts';
import { promptsFor } from '../prompts/index.ts';
import { RESOURCE_TEMPLATES, RESOURCES } from '../resources/index.ts';
import type { Naming } from './naming.ts';

/** What a server offers. */
export interface Offering {
  tools: ToolTable;
  resources: readonly Resource[];
  templates: readonly ResourceTemplate[];
  prompts: readonly Prompt[];
  /** Capabilities in addition to tools, resources, prompts and completions. */
  capabilities?: ServerCapabilities;
}

export const relayOffering = (tools: ToolTable): Offering => ({
  tools,
  resources: RESOURCES,
  templates: RESOURCE_TEMPLATES,
  prompts: promptsFor(tools.toolsets),
});

/** Knows when the reply to a request was written; depends on the transport. */
export interface Replies {
  after(mcp: ServerContext, action: (written: boolean) => Promise<void>): void;
}

/** The shared state of the servers of one session; it outlives each of them. */
export interface ClientContext {
  offering: Offering;
  participant: Participant;
  roles: Roles;
  naming: Naming;
  membership: Membership;
  /** Next steps of the door, which replace those of the catalogue. */
  nextSteps?: NextSteps;
  replies: Replies;
  /** Resolves when the account of the client may have one more long list, with the function that ends its turn. */
  listings(): Promise<() => void>;
  /** What agents inherit that are spawned from here. */
  environment?: Record<string, string>;
  /** Called when the client has the list of tools. */
  onListed?(): void;
  /** Called with errors that no reply can report. */
  onerror(error: unknown): void;
}
