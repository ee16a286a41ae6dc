import { z } from 'zod';
import { reply } from '../../framework/result.ts';
import { spawnFor, waitingNote, worktreeNote } from '../../framework/spawned.ts';
import { ACTS, defineTool, RUNS } from '../../framework/tool.ts';

export const relaySpawn = defineTool({
  name: 'relay_spawn',
  description:
    'Start a worker: another agent CLI in its own process, with a task. It replies with messages. Release it when it is done.',
  input: z.strictObject({
    name: z.string().describe('Unique name'),
    cli: z.string().describe('claude, codex, gemini, opencode, droid, agent'),
    task: z.string(),
    model: z.string().optional(),
    cwd: z.string().optional().describe('Directory inside the project'),
    worktree: z.boolean().optional().describe('Give it a git worktree and branch of its own'),
  }),
  annotations: RUNS,
  failed: 'Failed to spawn worker',
  handler: async (participant, wanted, call) => {
    const spawned = await spawnFor(await participant.relay(), wanted, call);
    const note = waitingNote(spawned);
    const text = `Worker "${spawned.name}" spawned successfully. It will message you when ready.`;
    return reply(note === undefined ? text : [text, note], { ...spawned });
  },
});

export const relayRelease = defineTool({
  name: 'relay_release',
  description: 'Stop one of your workers and everything it started.',
  input: z.strictObject({ name: z.string(), reason: z.string().optional() }),
  annotations: { ...ACTS, destructiveHint: true },
  failed: 'Failed to release worker',
  handler: async (participant, { name, reason }) => {
    const relay = await participant.relay();
    const { exit, worktree } = await relay.workers.release(name, reason === undefined ? {} : { reason });
    const text = `Worker "${name}" released.`;
    const note = worktreeNote(worktree);
    return reply(note === undefined ? text : [text, note], { name, released: true, exit, worktree });
  },
});
