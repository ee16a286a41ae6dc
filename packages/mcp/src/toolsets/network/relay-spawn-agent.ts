import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { spawnFor, waitingNote } from '../../framework/spawned.ts';
import { ACTS, defineTool, RUNS } from '../../framework/tool.ts';

export const relaySpawnAgent = defineTool({
  name: 'relay_spawn_agent',
  description: 'Start a new agent with a task, as your worker.',
  input: z.strictObject({
    name: z.string().describe('Unique name'),
    cli: z.string().describe('claude, codex, gemini, opencode, droid, agent'),
    task: z.string(),
  }),
  annotations: RUNS,
  handler: async (participant, wanted, call) => {
    const spawned = await spawnFor(await participant.relay(), wanted, call);
    const { name, status, reason } = spawned;
    const data = { success: true, name, status, reason, note: waitingNote(spawned) };
    return replyJson(data, { success: true, name, status, reason: reason?.text });
  },
});

export const relayReleaseAgent = defineTool({
  name: 'relay_release_agent',
  description: 'Stop an agent that you spawned, and everything it started.',
  input: z.strictObject({ name: z.string() }),
  annotations: { ...ACTS, destructiveHint: true },
  handler: async (participant, { name }) => {
    const relay = await participant.relay();
    const { worktree } = await relay.workers.release(name);
    return replyJson({ success: true, name, worktree });
  },
});
