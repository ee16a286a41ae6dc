// The plugin that `agent-relay mcp install --hooks` adds to OpenCode's tui.json: the same as in `agent-relay run`, but it starts
// the relay's process itself. In `agent-relay run` it does nothing.
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { tui } from './opencode-plugin.js';

export default {
  id: 'agent-relay-installed',
  async tui(api, { command: [file, ...args], env }) {
    if (process.env.RELAY_RUN) return;
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    // It ends with its input, also when OpenCode is killed.
    const stream = Duplex.from({ writable: child.stdin, readable: child.stdout });
    child.on('error', () => stream.destroy());
    await tui(api, stream);
  },
};
