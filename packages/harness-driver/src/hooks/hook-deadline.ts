/**
 * A hook that its CLI waits for has answered this long after its process started, whatever the relay does: a person waits
 * at the prompt. The rest of two seconds is for a busy machine.
 */
export const HOOK_MS = 1500;

/** A process that took longer than that to start still asks. */
const LEAST_MS = 200;

/** How much of that is left to this process. */
export const hookTimeLeft = (): number => Math.max(HOOK_MS - performance.now(), LEAST_MS);
