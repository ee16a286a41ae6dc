// What `agent-relay mcp install --hooks` enters in OpenCode's tui.json: the same plugin as in `agent-relay run`, with a process of
// the relay at the other end that it starts itself. In a run of the relay, which has its own, it does nothing.
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
