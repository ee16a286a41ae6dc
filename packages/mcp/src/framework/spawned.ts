import type { OperationInput, OperationResult, Relay } from '@agent-relay/sdk';
import { defined } from './defined.ts';
import type { Call } from './tool.ts';

type Wanted = Omit<OperationInput<'SPAWN'>, 'env' | 'args' | 'waitMs'>;

/** Clients give up on a call that is silent for too long. */
const PROGRESS_MS = 3000;

/** Starts an agent for the one who asks; the client is told every few seconds that it is awaited. */
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
  const timer = setInterval(() => {
    const waited = Math.round((performance.now() - startedAt) / 1000);
    call.progress(waited, 20, `Waiting for ${name}`).catch(() => clearInterval(timer));
  }, PROGRESS_MS);
  try {
    return await relay.workers.spawn(name, cli, defined({ ...wanted, env: call.environment }));
  } finally {
    clearInterval(timer);
  }
}

/** Why a worker is not ready yet, as a sentence. */
export const waitingNote = ({ status, reason }: OperationResult<'SPAWN'>): string | undefined =>
  status === 'ready' || !reason ? undefined : `It is still starting: ${reason.text}.`;
