import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGateway, HttpHandler, localBackend } from '@agent-relay/gateway';
import type { GatewayDoor } from '@agent-relay/mcp';
import { type McpServerStatus, RelayError } from '@agent-relay/protocol';
import { isMissing } from '@agent-relay/sdk/node';
import type { Logger } from './log.ts';
import type { Settings } from './settings.ts';

/** The MCP servers of the daemon: one gateway for all agents. */
export interface Pool extends GatewayDoor {
  status(): McpServerStatus[];
  close(): Promise<void>;
}

/** Where the pool remembers what its servers offer, and what of it was approved. */
export const poolDirectory = (dataDirectory: string): string => join(dataDirectory, 'gateway');

/** Starts the servers that the files of the settings list. A mistake in one of them stops the start of the daemon. */
export async function openPool({ mcp, dataDirectory }: Settings, log: Logger): Promise<Pool> {
  for (const file of mcp.servers) await requireFile(file);
  const gateway = await createGateway({
    configFiles: mcp.servers,
    // The daemon may run anywhere.
    directoryOf: dirname,
    stateDir: poolDirectory(dataDirectory),
    log: (line, level) => log[level](`gateway: ${line}`),
  });
  const visitors = new HttpHandler(gateway);
  return {
    handle: (request, response, { caller, mayConfigure, relay }) =>
      visitors.handle(request, response, {
        caller,
        mayConfigure,
        ...(relay && {
          instructions: relay.instructions,
          ownBackends: ({ era, info }) => [
            localBackend('relay', (events) => relay.connect({ hasSession: era === 'legacy', info }, events)),
          ],
        }),
      }),
    status: () =>
      gateway.status().servers.map(({ name, health, tools, error }) => ({
        name,
        health,
        tools,
        ...(error === undefined ? {} : { error }),
      })),
    async close() {
      await visitors.close();
      await gateway.close();
    },
  };
}

/** Where the gateway alone may begin with nothing, a daemon that was given a file is meant to serve what is in it. */
async function requireFile(file: string): Promise<void> {
  try {
    await stat(file);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new RelayError('InvalidSettings', `There is no file ${file} of MCP servers.`, {
      next: 'Correct --mcp-servers, RELAY_MCP_SERVERS_CONFIG or mcp.servers in settings.json.',
      cause,
    });
  }
}
