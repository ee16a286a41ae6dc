import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { buildServer } from '../server/build-server.ts';
import { clientInfoOf } from '../server/client-info.ts';
import { type LocalDeskOptions, localDesk } from '../server/local-desk.ts';
import { PendingReplies } from '../server/replies.ts';
import { LineTransport } from './transport.ts';

export interface StdioOptions extends LocalDeskOptions {
  input?: Readable;
  output?: Writable;
}

/** Serves one MCP client over standard input and output; resolves when it has gone. */
export async function serveStdio(options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout } = options;
  const replies = new PendingReplies(complain);
  const desk = localDesk(options, replies, complain);
  const transport = new LineTransport({
    input,
    output,
    replies,
    onreceived: (message) => {
      desk.participant.introduce(clientInfoOf(message));
      desk.participant.start();
    },
  });
  const handle = serveConnection(({ era }) => buildServer(desk, { era, lasting: true }), {
    transport,
    onerror: complain,
  });
  await transport.closed;
  await handle.close();
  await replies.end();
  await Promise.all([desk.participant.close(), desk.roles.close()]);
}

/** Standard output belongs to the protocol; whatever else there is to say goes here. */
const complain = (error: unknown): void => {
  process.stderr.write(`agent-relay-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
};
