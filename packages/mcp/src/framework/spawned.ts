import { notReadyText, worktreeLines } from '@agent-relay/protocol';
import type { OperationInput, OperationResult, Relay } from '@agent-relay/sdk';
import { defined } from './defined.ts';
import type { Call } from './tool.ts';

type Wanted = Omit<OperationInput<'SPAWN'>, 'env' | 'args' | 'waitMs' | 'setup'>;

/** Clients give up on a call that is silent for too long. */
const PROGRESS_MS = 3000;
/** Most are ready within this time. */
const EXPECTED_S = 20;

/** Starts an agent for the caller, with progress to the client every few seconds. */
export async function spawnFor(
  relay: Relay,
  {
    name,
    cli,
    ...wanted
  }: { [Key in keyof Wanted]: Wanted[Key] | undefined } & { name: string; cli: string },
  call: Call,
): Promise<OperationResult<'SPAWN'>> {
  const startedAt = performance.now();
  let doing = `Waiting for ${name}`;
  const timer = setInterval(() => {
    const waited = Math.round((performance.now() - startedAt) / 1000);
    call.progress(waited, EXPECTED_S, doing).catch(() => clearInterval(timer));
  }, PROGRESS_MS);
  try {
    const onProgress = (text: string) => {
      doing = text;
    };
    return await relay.workers.spawn(name, cli, defined({ ...wanted, env: call.environment, onProgress }));
  } finally {
    clearInterval(timer);
  }
}

/** Why a worker is not ready yet, as a sentence. */
export const waitingNote = ({ status, reason }: OperationResult<'SPAWN'>): string | undefined =>
  status === 'ready' || !reason ? undefined : ended(`It is not ready yet: ${notReadyText(reason)}`);

const ended = (sentence: string): string => (/[.?!]$/.test(sentence) ? sentence : `${sentence}.`);

/** What became of the worktree of a released worker, if there is something to say. */
export const worktreeNote = (worktree: OperationResult<'RELEASE'>['worktree']): string | undefined =>
  worktree && worktreeLines(worktree).join('\n');
