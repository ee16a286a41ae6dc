import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { PluginServer } from '../../opencode/plugin-server.ts';
import { SessionIngress } from '../../opencode/session-ingress.ts';
import type { Channel, RunFacts } from '../adapter.ts';

const PLUGIN = createRequire(import.meta.url).resolve('@agent-relay/harness-driver/opencode-plugin');
const CONFIG = 'OPENCODE_TUI_CONFIG';

/** Undefined if it cannot be used: the terminal is then the only path. */
export async function withPlugin(
  run: RunFacts,
): Promise<{ env: Record<string, string>; channel: Channel } | undefined> {
  // A file of the person's own; paths in it are relative to where it is.
  const socketPath = run.env[CONFIG] ? undefined : await run.socketPath('opencode');
  if (socketPath === undefined) return undefined;
  const plugin = await PluginServer.listen(socketPath);
  // OpenCode merges it with the person's files.
  const config = { plugin: [[pathToFileURL(PLUGIN).href, { socket: socketPath }]] };
  const file = await run.writeFile('tui.json', JSON.stringify(config));
  const channel: Channel = {
    open: (agent) => new SessionIngress(plugin, agent),
    [Symbol.asyncDispose]: () => plugin[Symbol.asyncDispose](),
  };
  return { env: { [CONFIG]: file }, channel };
}
