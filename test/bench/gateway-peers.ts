import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Contender, openHttp, openStdio } from './gateway-contenders.ts';

interface Setup {
  node: string;
  echo: string;
  directory: string;
}

/** Starts the other gateways that are installed in a directory, in front of the same backend. */
export async function peersIn(installed: string, { node, echo, directory }: Setup): Promise<Contender[]> {
  const servers = join(directory, 'peers.json');
  await writeFile(
    servers,
    JSON.stringify({ mcpServers: { echo: { command: node, args: [echo, 'stdio'] } } }),
  );
  const binary = async (name: string, script = name) => {
    const root = join(installed, 'node_modules', name);
    if (!existsSync(root)) return undefined;
    const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      bin: string | Record<string, string>;
    };
    return join(root, typeof bin === 'string' ? bin : (bin[script] ?? Object.values(bin)[0] ?? ''));
  };
  const starts: Array<() => Promise<Contender | undefined>> = [
    async () => {
      const program = await binary('supergateway');
      const inner = `${node} ${echo} stdio`;
      return (
        program &&
        openHttp(
          'supergateway',
          'http',
          (port) => [
            node,
            program,
            '--stdio',
            inner,
            '--outputTransport',
            'streamableHttp',
            '--stateful',
            '--port',
            String(port),
          ],
          '/mcp',
        )
      );
    },
    async () => {
      const program = await binary('mcp-proxy');
      return (
        program &&
        openHttp(
          'mcp-proxy',
          'http',
          (port) => [node, program, '--host', '127.0.0.1', '--port', String(port), '--', node, echo, 'stdio'],
          '/mcp',
        )
      );
    },
    async () => {
      const program = await binary('@1mcp/agent', '1mcp');
      return (
        program &&
        openStdio('1mcp', 'stdio', [node, program, 'serve', '--transport', 'stdio', '--config', servers])
      );
    },
    async () => {
      const program = await binary('@1mcp/agent', '1mcp');
      return (
        program &&
        openHttp(
          '1mcp',
          'http',
          (port) => [
            node,
            program,
            'serve',
            '--transport',
            'http',
            '--port',
            String(port),
            '--config',
            servers,
          ],
          '/mcp',
        )
      );
    },
    async () => {
      const program = await binary('mcporter');
      return (
        program && openStdio('mcporter', 'stdio', [node, program, 'serve', '--stdio', '--config', servers])
      );
    },
  ];
  const running: Contender[] = [];
  for (const start of starts) {
    try {
      const contender = await start();
      if (contender) running.push(contender);
    } catch (error) {
      console.error(`A peer could not be measured: ${(error as Error).message}`);
    }
  }
  return running;
}
