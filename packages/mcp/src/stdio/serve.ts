import type { Readable, Writable } from 'node:stream';
import { isRelayError, safeLine } from '@agent-relay/protocol';
import { noteListedTools } from '@agent-relay/sdk/node';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { buildServer } from '../server/build-server.ts';
import type { ClientContext } from '../server/client-context.ts';
import { type LocalContextOptions, localClientContext } from '../server/create-server.ts';
import { clientInfoOf } from '../server/messages.ts';
import { NAME_WAIT_MS } from '../server/naming.ts';
import { PendingReplies } from '../server/replies.ts';
import { tellHost } from './tell-host.ts';
import { LineTransport } from './transport.ts';

export interface StdioOptions extends LocalContextOptions {
  input?: Readable;
  output?: Writable;
}

/** Serves one MCP client over stdio; resolves when it disconnects. */
export async function serveStdio(options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, env = process.env } = options;
  const replies = new PendingReplies(complain);
  const { RELAY_HOST_SOCKET: host, RELAY_HOOKS: hooks } = env;
  const context: ClientContext = {
    ...localClientContext(options, replies, complain),
    onListed() {
      if (host) tellHost(host);
      else if (hooks) noteListedTools(process.ppid, env).catch(complain);
    },
  };
  const transport = new LineTransport({
    input,
    output,
    replies,
    onreceived: (message) => {
      context.participant.introduce(clientInfoOf(message));
      context.participant.start();
    },
  });
  context.participant.events.on('unreachable', complain);
  const open = async ({ era }: { era: 'legacy' | 'modern' }) => {
    // The instructions contain the session's name, which the relay assigns.
    await context.participant.settled(NAME_WAIT_MS);
    return buildServer(context, { era, lasting: true });
  };
  const handle = serveConnection(open, {
    transport,
    onerror: complain,
  });
  await transport.closed;
  await handle.close();
  await replies.end();
  await Promise.all([context.participant.close(), context.roles.close()]);
}

/** Standard output belongs to the protocol; everything else goes to stderr. */
const complain = (error: unknown): void => {
  process.stderr.write(complaint(error));
};

/** An error as the line on stderr of an MCP server. */
export const complaint = (error: unknown): string => `agent-relay-mcp: ${inOneLine(error)}\n`;

function inOneLine(error: unknown): string {
  if (isRelayError(error)) return safeLine(`${error.message} ${error.next}`);
  return error instanceof Error ? error.message : String(error);
}

/** Explains to a person who starts the server in a terminal why nothing happens. */
export function tellPerson(): void {
  if (!process.stdin.isTTY) return;
  process.stderr.write(
    'This is an MCP server; your client starts it. Add it to your clients with: agent-relay mcp install\n',
  );
}
