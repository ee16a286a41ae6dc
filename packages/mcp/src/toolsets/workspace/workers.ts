import { RelayError } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { spawnFor, waitingNote } from '../../framework/spawned.ts';
import { ACTS, defineTool, LOOKS, RUNS } from '../../framework/tool.ts';

/** One daemon is one node. */
const NODE = 'local';

const cli = z.string().describe('claude, codex, gemini, opencode, droid, agent');

export const addAgent = defineTool({
  name: 'add_agent',
  description: 'Start an agent CLI with a task, as your worker.',
  input: z.strictObject({
    name: z.string(),
    cli,
    task: z.string(),
    channel: z.string().optional(),
    model: z.string().optional(),
  }),
  annotations: RUNS,
  handler: async (participant, { channel, ...wanted }, call) => {
    const channels = channel === undefined ? undefined : [channel];
    const spawned = await spawnFor(await participant.relay(), { ...wanted, channels }, call);
    return replyJson({ ...spawned, note: waitingNote(spawned) });
  },
});

export const removeAgent = defineTool({
  name: 'remove_agent',
  description: 'Stop one of your workers and everything it started.',
  input: z.strictObject({ name: z.string(), reason: z.string().optional() }),
  annotations: { ...ACTS, destructiveHint: true },
  handler: async (participant, { name, reason }) => {
    const relay = await participant.relay();
    const { exit, worktree } = await relay.workers.release(name, defined({ reason }));
    return replyJson({ name, removed: true, exit, worktree });
  },
});

export const spawn = defineTool({
  name: 'spawn',
  description: 'Start an agent CLI as your worker, with all options.',
  input: z.strictObject({
    name: z.string(),
    cli,
    task: z.string().optional(),
    channels: z.array(z.string()).optional(),
    model: z.string().optional(),
    cwd: z.string().optional().describe('Directory inside the project'),
    worktree: z.boolean().optional().describe('Give it a git worktree and branch of its own'),
    target_node: z.string().optional(),
  }),
  annotations: RUNS,
  handler: async (participant, { target_node = NODE, ...wanted }, call) => {
    if (target_node !== NODE) {
      throw new RelayError('InvalidRequest', `There is no node "${target_node}".`, {
        next: 'Omit target_node, or list the nodes with query_nodes.',
      });
    }
    const spawned = await spawnFor(await participant.relay(), wanted, call);
    return replyJson({ ...spawned, node: NODE, note: waitingNote(spawned) });
  },
});

export const queryNodes = defineTool({
  name: 'query_nodes',
  description: 'List the nodes that can run agents.',
  input: z.strictObject({ capability: z.string().optional(), name: z.string().optional() }),
  annotations: LOOKS,
  handler: async (participant, { capability, name = NODE }) => {
    const relay = await participant.relay();
    const agents = await relay.who();
    const capabilities = [...new Set(['spawn', ...agents.flatMap((agent) => agent.capabilities)])];
    const isWanted = name === NODE && (capability === undefined || capabilities.includes(capability));
    const { version } = await relay.status();
    const node = { name: NODE, status: 'online', version, agents: agents.length, capabilities };
    return replyJson({ nodes: isWanted ? [node] : [] });
  },
});
