import { instructions } from '../prompts/instructions.ts';
import { createServer } from './create-server.ts';
import { connectInMemory } from './in-memory.ts';
import { type LocalContextOptions, localToolsets } from './local-client-context.ts';
import { mainToolset } from './prompts.ts';
import type { RelayServer } from './relay-server.ts';

/** The relay's server for the client of a gateway that runs as the user. A choice of toolsets that cannot be throws. */
export const localRelayServer = (options: LocalContextOptions): RelayServer => ({
  instructions: instructions(mainToolset(localToolsets(options)).wording),
  connect: ({ info }, events) => connectInMemory(createServer({ ...options, client: info }), events),
});
