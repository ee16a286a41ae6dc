import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Contender, openHttp, openSse, openStdio } from './contenders.ts';

interface Setup {
  node: string;
  echo: string;
  directory: string;
}

/** Starts the other gateways that are installed in a directory, in front of the same backend. */
export async function peersIn(installed: string, { node, echo, directory }: Setup): Promise<Contender[]> {
  const servers = join(directory, 'peers.json');
  const backend = { command: node, args: [echo, 'stdio'], lifecycle: 'keep-alive' };
  await writeFile(servers, JSON.stringify({ mcpServers: { echo: backend } }));
  // What they store between runs is deleted with the directory.
  const env = { ...process.env, HOME: directory, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory };
  const peers: Record<string, (program: string) => Promise<Contender>> = {
    supergateway: (program) =>
      openHttp(
        'supergateway',
        'http',
        (port) => [
          ...[node, program, '--stdio', `${node} ${echo} stdio`, '--outputTransport', 'streamableHttp'],
          ...['--stateful', '--port', String(port)],
        ],
        '/mcp',
        env,
      ),
    'mcp-proxy': (program) =>
      openHttp(
        'mcp-proxy',
        'http',
        (port) => [node, program, '--host', '127.0.0.1', '--port', String(port), '--', node, echo, 'stdio'],
        '/mcp',
        env,
      ),
    'mcp-hub': (program) =>
      openSse(
        'mcp-hub',
        'http',
        (port) => [node, program, '--port', String(port), '--config', servers],
        '/mcp',
        env,
      ),
    // Its backends run in a daemon that outlives it.
    mcporter: (program) =>
      openStdio('mcporter', 'stdio', [node, program, '--config', servers, 'serve', '--stdio'], env, () => {
        spawnSync(node, [program, '--config', servers, 'daemon', 'stop'], { env, timeout: 10_000 });
      }),
  };
  const running: Contender[] = [];
  for (const [name, start] of Object.entries(peers)) {
    const program = await binaryOf(join(installed, 'node_modules', name), name);
    if (program === undefined) continue;
    try {
      running.push(await start(program));
    } catch (error) {
      console.error(`${name} could not be measured: ${(error as Error).message}`);
    }
  }
  return running;
}

async function binaryOf(root: string, name: string): Promise<string | undefined> {
  if (!existsSync(root)) return undefined;
  const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  return join(root, bin[name] ?? '');
}
