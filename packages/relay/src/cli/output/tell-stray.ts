import { safeLine } from '@agent-relay/protocol';
import { joinedProject, type Relay, strayNotice } from '@agent-relay/sdk/node';
import { printAside } from './terminal.ts';

/** Says which project the command uses if nobody chose it, before it does anything there. */
export async function tellStray(relay: Relay): Promise<void> {
  const joined = joinedProject(relay);
  if (joined?.from !== 'only-one') return;
  const notice = strayNotice(joined, await relay.status());
  if (notice !== undefined) printAside(safeLine(`note: ${notice}`));
}
