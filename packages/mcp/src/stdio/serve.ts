import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { buildServer } from '../server/build-server.ts';
import { clientInfoOf } from '../server/client-info.ts';
import { type LocalContextOptions, localClientContext } from '../server/local-client-context.ts';
import { PendingReplies } from '../server/replies.ts';
import { LineTransport } from './transport.ts';

export interface StdioOptions extends LocalContextOptions {
  input?: Readable;
  output?: Writable;
}

/** Serves one MCP client over standard input and output; resolves when it has gone. */
export async function serveStdio(options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout } = options;
  const replies = new PendingReplies(complain);
  const context = localClientContext(options, replies, complain);
  const transport = new LineTransport({
    input,
    output,
    replies,
    onreceived: (message) => {
      context.participant.introduce(clientInfoOf(message));
      context.participant.start();
    },
  });
  const handle = serveConnection(({ era }) => buildServer(context, { era, lasting: true }), {
    transport,
    onerror: complain,
  });
  await transport.closed;
  await handle.close();
  await replies.end();
  await Promise.all([context.participant.close(), context.roles.close()]);
}

/** Standard output belongs to the protocol; whatever else there is to say goes here. */
const complain = (error: unknown): void => {
  process.stderr.write(`agent-relay-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
};
