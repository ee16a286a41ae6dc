import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { freePort } from '../../kit/free-port.ts';

const OPENING = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};
const ANSWER_MS = 20_000;
const WARM_UP_MS = 4000;

export type Exchange = (
  id: number,
  method: string,
  params: object,
) => Promise<{ tools?: Array<{ name: string }> }>;

/** Something that answers MCP calls, measured from outside. */
export class Contender {
  readonly name: string;
  readonly front: 'stdio' | 'http';
  readonly #exchange: Exchange;
  readonly #process: ChildProcess;
  readonly #stop: () => void;
  readonly #tool: string;
  readonly #p50s: number[] = [];
  readonly #p99s: number[] = [];
  readonly #cpus: number[] = [];
  #id = 10;
  rss = 0;

  constructor(
    name: string,
    front: 'stdio' | 'http',
    child: ChildProcess,
    exchange: Exchange,
    tool: string,
    stop: () => void,
  ) {
    this.name = name;
    this.front = front;
    this.#process = child;
    this.#exchange = exchange;
    this.#tool = tool;
    this.#stop = stop;
  }

  get p50(): number {
    return median(this.#p50s);
  }
  get p99(): number {
    return median(this.#p99s);
  }
  get cpu(): number {
    return median(this.#cpus);
  }

  /** Calls one after the other; the times in microseconds, sorted. */
  async round(calls: number): Promise<number[]> {
    const times: number[] = [];
    for (let call = 0; call < calls; call++) {
      const begin = process.hrtime.bigint();
      await this.#exchange(++this.#id, 'tools/call', {
        name: this.#tool,
        arguments: { text: 'hello there' },
      });
      times.push(Number(process.hrtime.bigint() - begin) / 1000);
    }
    return times.sort((a, b) => a - b);
  }

  /** The JIT needs some thousand calls to reach its final code. */
  async warmUp(): Promise<void> {
    const end = Date.now() + WARM_UP_MS;
    while (Date.now() < end) await this.round(100);
  }

  async measure(calls: number): Promise<void> {
    const before = await this.#usage();
    const times = await this.round(calls);
    const after = await this.#usage();
    this.#p50s.push(times[Math.floor(calls / 2)] ?? 0);
    this.#p99s.push(times[Math.floor(calls * 0.99)] ?? 0);
    this.#cpus.push((after.cpu - before.cpu) / calls);
    this.rss = after.rss;
  }

  async close(): Promise<void> {
    this.#stop();
    this.#process.stdin?.end();
    const gone = this.#process.exitCode === null ? once(this.#process, 'exit') : Promise.resolve();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 3000);
    this.#process.kill('SIGTERM');
    await gone;
    clearTimeout(timer);
  }

  /** Microseconds of processor time of all its threads, and bytes of memory. */
  async #usage(): Promise<{ cpu: number; rss: number }> {
    const place = `/proc/${this.#process.pid}`;
    const threads = await readdir(`${place}/task`);
    const stats = await Promise.all(
      threads.map((thread) => readFile(`${place}/task/${thread}/schedstat`, 'utf8')),
    );
    const cpu = stats.reduce((sum, text) => sum + Number.parseInt(text, 10) / 1000, 0);
    return { cpu, rss: Number((await readFile(`${place}/statm`, 'utf8')).split(' ')[1]) * 4096 };
  }
}

export async function openStdio(
  name: string,
  front: 'stdio',
  command: string[],
  env: NodeJS.ProcessEnv = process.env,
  stop: () => void = () => undefined,
): Promise<Contender> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], env });
  const waiting = new Map<number, (result: object) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id?: number; result?: object };
    if (id !== undefined) waiting.get(id)?.(result ?? {});
  });
  const exchange = correlated(name, waiting, (message) => child.stdin.write(`${JSON.stringify(message)}\n`));
  await exchange(1, OPENING.method, OPENING.params);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return new Contender(name, front, child, exchange, await toolOf(exchange), stop);
}

export async function openHttp(
  name: string,
  front: 'http',
  command: (port: number) => string[],
  path: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Contender> {
  const port = await freePort();
  const [program = '', ...args] = command(port);
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let session: Record<string, string> = {};
  const post = (body: object) =>
    new Promise<{ tools?: Array<{ name: string }> }>((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      };
      const sent = request(
        { agent, host: '127.0.0.1', port, path, method: 'POST', headers, timeout: ANSWER_MS },
        (response) => {
          const id = response.headers['mcp-session-id'];
          if (typeof id === 'string') session = { 'mcp-session-id': id };
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => {
            if ((response.statusCode ?? 500) >= 400)
              return reject(new Error(`${name}: HTTP ${response.statusCode} ${text}`));
            const json = text.startsWith('{')
              ? text
              : text
                  .split('\n')
                  .find((line) => line.startsWith('data: {'))
                  ?.slice(6);
            resolve(json === undefined ? {} : (JSON.parse(json) as { result: object }).result);
          });
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify({ jsonrpc: '2.0', ...body }));
    });
  const exchange: Exchange = (id, method, params) => post({ id, method, params });
  await answering(() => exchange(1, OPENING.method, OPENING.params));
  await post({ method: 'notifications/initialized' });
  return new Contender(name, front, child, exchange, await toolOf(exchange), () => agent.destroy());
}

/** The older SSE transport: answers arrive on a stream, requests are posted to the address in its first event. */
export async function openSse(
  name: string,
  front: 'http',
  command: (port: number) => string[],
  path: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Contender> {
  const port = await freePort();
  const [program = '', ...args] = command(port);
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const waiting = new Map<number, (result: object) => void>();
  const base = `http://127.0.0.1:${port}`;
  const stream = await answering(async () => {
    const response = await fetch(base + path, { headers: { accept: 'text/event-stream' } });
    if (!response.ok) throw new Error(`${name}: HTTP ${response.status}`);
    return response;
  });
  const endpoint = Promise.withResolvers<string>();
  void readEvents(stream, (event, data) => {
    if (event === 'endpoint') return endpoint.resolve(data);
    const { id, result } = JSON.parse(data) as { id?: number; result?: object };
    if (id !== undefined) waiting.get(id)?.(result ?? {});
  });
  const timer = setTimeout(
    () => endpoint.reject(new Error(`${name}: the stream names no endpoint`)),
    ANSWER_MS,
  );
  const target = new URL(await endpoint.promise, base);
  clearTimeout(timer);
  const post = (message: object) =>
    request(target, { agent, method: 'POST', headers: { 'content-type': 'application/json' } }, (response) =>
      response.resume(),
    )
      .on('error', () => undefined)
      .end(JSON.stringify(message));
  const exchange = correlated(name, waiting, post);
  await exchange(1, OPENING.method, OPENING.params);
  post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return new Contender(name, front, child, exchange, await toolOf(exchange), () => agent.destroy());
}

async function readEvents(
  response: Response,
  received: (event: string, data: string) => void,
): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      const events = (text + decoder.decode(chunk as Uint8Array, { stream: true })).split(/\r?\n\r?\n/);
      text = events.pop() ?? '';
      for (const event of events) {
        const name = /^event: ?(.*)$/m.exec(event)?.[1] ?? 'message';
        const data = /^data: ?(.*)$/m.exec(event)?.[1];
        if (data !== undefined) received(name, data);
      }
    }
  } catch (error) {
    // The stream breaks when the contender is ended.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Matches answers to requests by id, with a timeout of ANSWER_MS. */
const correlated =
  (name: string, waiting: Map<number, (result: object) => void>, send: (message: object) => void): Exchange =>
  (id, method, params) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name}: no answer to ${method}`)), ANSWER_MS);
      waiting.set(id, (result) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(result);
      });
      send({ jsonrpc: '2.0', id, method, params });
    });

/** Gateways name the echo tool in their own ways. */
async function toolOf(exchange: Exchange): Promise<string> {
  return answering(async () => {
    const { tools = [] } = await exchange(2, 'tools/list', {});
    const tool = tools.find(({ name }) => name.endsWith('echo'));
    if (!tool) throw new Error('the echo tool is not listed');
    return tool.name;
  });
}

/** Retries while a server is starting. */
async function answering<T>(attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + ANSWER_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
