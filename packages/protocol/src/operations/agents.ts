import { z } from 'zod';
import type { PathState } from '../events.ts';
import type { Reason } from '../messages/reasons.ts';
import {
  AGENT_GRANTS,
  type AgentGrant,
  type AgentType,
  ATTENTIONS,
  type Attention,
  type DeliveryPath,
} from '../vocabulary.ts';
import { capabilityAnnouncementPayload, type ToolDefinition } from '../wire/payloads.ts';
import { cursor, type Nothing, name, none, result } from './define.ts';
import type { RunInfo } from './terminals.ts';

/** An agent as others see it. */
export interface AgentInfo {
  name: string;
  /** A second name that reaches it, without `@`. */
  handle?: string;
  type: AgentType;
  status: 'active' | 'idle' | 'offline';
  lead: boolean;
  project: string;
  cli?: string;
  task?: string;
  parent?: string;
  connectedAt?: number;
  lastActivityAt?: number;
  capabilities: string[];
  mcpEnabled: boolean;
  /**
   * It is connected from elsewhere: with a key or a token over the network, not by the local socket. Of an offline agent:
   * its name was registered from there.
   */
  remote?: boolean;
  /** How many messages it has not read; for the owner. */
  unread?: number;
  /** What wakes this agent for a new message, best first; if empty, it sees messages when it checks its inbox. */
  paths: PathInfo[];
  /** When it wants its messages while it works; absent for the default. */
  attention?: Attention;
  /** What the owner allowed it; absent if nothing. */
  grants?: AgentGrant[];
  /** Its program in a terminal, the latest one. */
  run?: RunInfo;
}

/** A path to an agent, and its last reported state; `pull`: a program waits for the next message. */
export interface PathInfo {
  path: DeliveryPath;
  /** New messages use this path. */
  inUse: boolean;
  state: PathState;
  reason?: Reason;
  /** Since when it is in this state. */
  since: number;
}

/** What a connected agent can do for others. */
export interface AgentOffer {
  name: string;
  capabilities: string[];
  /** By capability, in the agent's own words; absent if it gave none. */
  descriptions?: Record<string, string>;
  /** The names of its tools. */
  tools: string[];
  /** When it last announced what it offers, by connecting or by a change, in milliseconds since 1970. */
  updatedAt: number;
}

/** A tool as others see it, described by its owner. */
export interface OfferedTool extends ToolDefinition {
  /** A program handles its calls; otherwise the agent is asked in a message. */
  served: boolean;
}

export const agentOperations = {
  WHO: {
    params: z
      .object({
        include_idle: z.boolean().default(true),
        includeOffline: z.boolean().default(false),
        project: name.optional(),
        /** Only this one, by its name or handle. */
        agent: name.optional(),
        cursor: cursor.optional(),
      })
      .strict(),
    result: result<{ agents: AgentInfo[]; next?: string }>(),
  },
  /** The connected agents that have the capability or the tool; with neither, all that offer something. */
  DISCOVER: {
    params: z
      .object({ capability: name.optional(), tool: name.optional(), cursor: cursor.optional() })
      .strict(),
    result: result<{ agents: AgentOffer[]; next?: string }>(),
  },
  /** The tools that one agent offers: what it announced, and what its connections serve now. */
  TOOLS: {
    params: z.object({ agent: name, cursor: cursor.optional() }).strict(),
    result: result<{ tools: OfferedTool[]; next?: string }>(),
  },
  /** Follow what happens in the project, except messages, as EVENT envelopes. */
  WATCH: { params: none, result: result<Nothing>() },
  ANNOUNCE: { params: capabilityAnnouncementPayload, result: result<Nothing>() },
  /** A new token for an agent whose token was lost or leaked; its connections are closed. */
  TOKEN_ROTATE: {
    params: z.object({ agent: name, token: z.string().max(256).optional() }).strict(),
    result: result<{ token: string }>(),
  },
  AGENT_RENAME: { params: z.object({ agent: name, name }).strict(), result: result<{ name: string }>() },
  /**
   * Sets whether an agent is the lead, whether it is a person or a program, and what it is allowed: to spawn agents from another
   * machine (`spawn`), to see and drive terminals (`terminal`).
   */
  AGENT_SET: {
    params: z
      .object({
        agent: name,
        type: z.enum(['agent', 'human']).optional(),
        lead: z.boolean().optional(),
        grant: z.array(z.enum(AGENT_GRANTS)).max(8).optional(),
        revoke: z.array(z.enum(AGENT_GRANTS)).max(8).optional(),
      })
      .strict(),
    result: result<{ type: AgentType; lead: boolean; grants: AgentGrant[] }>(),
  },
  /**
   * Sets when a working agent gets its messages; without `attention`, the default applies again. By the agent itself (no
   * `agent`), the owner or a person.
   */
  AGENT_ATTENTION: {
    params: z.object({ agent: name.optional(), attention: z.enum(ATTENTIONS).optional() }).strict(),
    result: result<{ agent: string; attention?: Attention }>(),
  },
  /** Removes an agent: its connections are closed, its name is free again, its messages stay. */
  AGENT_REMOVE: { params: z.object({ agent: name }).strict(), result: result<Nothing>() },
  /** Allows an agent from another machine to write to another project, or revokes that. */
  GRANT: {
    params: z.object({ agent: name, project: name, allowed: z.boolean().default(true) }).strict(),
    result: result<Nothing>(),
  },
} as const;
