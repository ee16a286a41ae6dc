import { parseArgs } from 'node:util';
import { toolsetNames } from '../framework/toolset.ts';
import { serveStdio, tellPerson } from '../stdio/serve.ts';
import { reportFailure } from './failure.ts';

// Clients wait for this at each start: it has its own bundle, so that it starts fast.

/** `agent-relay-mcp serve`; sets the exit code. */
export const main = (args: string[]): Promise<void> =>
  reported(() => serveToolsets(parseArgs({ args, options: { tools: { type: 'string' } } }).values.tools));

/** The same for a program that parses its own command line. */
export const serve = (tools: string): Promise<void> => reported(() => serveToolsets(tools));

async function serveToolsets(tools: string | undefined): Promise<void> {
  tellPerson();
  await serveStdio(tools === undefined ? {} : { tools: toolsetNames(tools) });
}

async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    reportFailure(error);
  }
}
