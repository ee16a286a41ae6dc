import { connect } from 'node:net';

/**
 * Tells the host of the agent's terminal that its CLI has the tools: the host delivers nothing before, because some CLIs never
 * show their model the tools that come after its first turn.
 */
export function tellHost(socketPath: string): void {
  const socket = connect(socketPath);
  // The host may be gone; the CLI is served all the same.
  socket.on('error', () => socket.destroy());
  socket.end(`${JSON.stringify({ tools: 'listed' })}\n`);
}
