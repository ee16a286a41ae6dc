import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGateway, type Gateway, type GatewayOptions, serveGatewayStdio } from '@agent-relay/gateway';
import {
  Client,
  type ClientOptions,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Script } from './scripted-server.ts';

const SCRIPTED = fileURLToPath(new URL('scripted-server.ts', import.meta.url));

/** A configuration entry for a scripted server. */
export const scripted = (name: string, script: Script, settings: Record<string, unknown> = {}) => ({
  name,
  command: process.execPath,
  args: [SCRIPTED, JSON.stringify(script)],
  ...settings,
});

/** A well-formed tool. */
export const tool = (name: string, extra: Record<string, unknown> = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  ...extra,
});

/** A temporary directory, a gateway in it, and clients of that gateway; everything ends with the test. */
export class GatewayKit implements AsyncDisposable {
  readonly directory: string;
  readonly configFile: string;
  /** Each with its level in front. */
  readonly logs: string[] = [];
  #gateway: Gateway | undefined;
  readonly #clients: Client[] = [];

  private constructor(directory: string) {
    this.directory = directory;
    this.configFile = join(directory, 'backends.yaml');
  }

  static async create(): Promise<GatewayKit> {
    return new GatewayKit(await mkdtemp(join(tmpdir(), 'gateway-')));
  }

  /** Writes the configuration and starts a gateway on it. It retries fast, and waits as long as a busy machine needs. */
  static async start(backends: unknown[], options: Partial<GatewayOptions> = {}): Promise<GatewayKit> {
    const kit = await GatewayKit.create();
    await kit.configure(backends);
    const gateway = await kit.open(options);
    await gateway.ready();
    return kit;
  }

  get gateway(): Gateway {
    if (!this.#gateway) throw new Error('open the gateway first');
    return this.#gateway;
  }

  async configure(backends: unknown[]): Promise<void> {
    // JSON is YAML.
    await writeFile(this.configFile, `# kept\n${JSON.stringify({ backends }, null, 2)}\n`);
  }

  async open(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
    this.#gateway = await createGateway({
      configFiles: [this.configFile],
      log: (line, level) => this.logs.push(`${level} ${line}`),
      // Waiting ends as soon as the backends are there; a busy machine may take its time.
      startupMs: 30_000,
      ...options,
      limits: { reconnectMs: 100, callConnectMs: 30_000, connectMs: 30_000, ...options.limits },
    });
    return this.#gateway;
  }

  /** An SDK client on the gateway's stdio front. */
  async client(options: ClientOptions = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, options);
    const toGateway = new PassThrough();
    const fromGateway = new PassThrough();
    void serveGatewayStdio(this.gateway, { input: toGateway, output: fromGateway });
    await client.connect(lineTransport(fromGateway, toGateway));
    this.#clients.push(client);
    return client;
  }

  async journal(name = 'journal'): Promise<string[]> {
    const content = await readFile(this.path(name), 'utf8').catch(() => '');
    return content.split('\n').filter((line) => line !== '');
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.#gateway?.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** The text of a tool's result. */
export const textOf = (result: { content?: unknown }): string =>
  (result.content as Array<{ text?: string }> | undefined)?.[0]?.text ?? '';

/**
 * Calls a tool and gives back the progress it reported. Not by the SDK's `onprogress`: that one loses what arrives
 * together with the result.
 */
export async function progressOf(
  client: Client,
  params: { name: string; arguments: Record<string, unknown> },
): Promise<number[]> {
  const progressToken = `token-${Math.random()}`;
  const seen: number[] = [];
  client.setNotificationHandler('notifications/progress', ({ params: reported }) => {
    if (reported.progressToken === progressToken) seen.push(reported.progress);
  });
  await client.callTool({ ...params, _meta: { progressToken } });
  return seen;
}

function lineTransport(input: PassThrough, output: PassThrough): Transport {
  let rest = '';
  const transport: Transport = {
    async start() {
      input.setEncoding('utf8');
      input.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
      });
    },
    async send(message) {
      output.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      output.end();
      transport.onclose?.();
    },
  };
  return transport;
}
