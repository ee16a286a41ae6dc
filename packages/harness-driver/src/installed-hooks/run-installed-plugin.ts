import { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Attention, isRelayError } from '@agent-relay/protocol';
import { connect, type Environment, type NodeConnectOptions } from '@agent-relay/sdk/node';
import { Deliverer } from '../delivery/deliverer.ts';
import { PluginServer } from '../opencode/plugin-server.ts';
import { SessionIngress } from '../opencode/session-ingress.ts';
import { ownAttention } from './own-attention.ts';

export interface InstalledPluginOptions {
  env: Environment;
  client: NonNullable<NodeConnectOptions['client']>;
  /** What the plugin writes and reads. */
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/**
 * Beside an OpenCode that was not started by `agent-relay run`: brings the agent's messages into the session it shows, through the
 * plugin that started this process. Without a daemon it does nothing, and it ends with the plugin.
 */
export async function runInstalledPlugin({
  env,
  client,
  input,
  output,
}: InstalledPluginOptions): Promise<void> {
  const stream = Duplex.from({ readable: input, writable: output });
  // OpenCode closes its side; this one stays open until something is written to it.
  const over = finished(stream, { writable: false }).catch(() => undefined);
  try {
    await using relay = await connect({ env, cli: 'opencode', client, paths: ['native'] });
    let attention: Attention | undefined;
    const learn = async () => {
      attention = await ownAttention(relay);
    };
    const plugin = new PluginServer();
    let look = (): void => undefined;
    const ingress = new SessionIngress(plugin, {
      // Its screen is not visible here; the plugin reports what it asks.
      reading: () => ({ state: 'unknown' }),
      typedWithin: () => false,
      turnStarts: async () => false,
      get attention() {
        return attention;
      },
      onChange: () => look(),
      onSession: () => undefined,
    });
    const deliverer = new Deliverer(relay, {
      ingresses: [ingress],
      hold: () => ingress.hold(),
      onFailure: () => stream.destroy(),
    });
    look = () => deliverer.look();
    relay.on('agent.changed', ({ agent }) => {
      if (agent === relay.name) void learn().then(look, ignoreRelayErrors);
    });
    await relay.watch();
    await learn();
    plugin.serve(stream);
    await over;
    await deliverer.end();
    ingress.close();
  } catch (error) {
    ignoreRelayErrors(error);
  }
}

/** OpenCode must not see an error if there is no relay. */
function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
