/**
 * The gateway's cost, compared with direct calls to the backend, with the minimum of any gateway, and with
 * other gateways, in one run: rounds are interleaved, figures are medians. Run as: node test/bench/gateway/run.ts [--rounds N] [--calls N] [--peers DIRECTORY].
 * A peer is measured when it is installed in DIRECTORY (npm install --prefix DIRECTORY supergateway mcp-proxy …).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { PROGRAM } from '../../kit/cli.ts';
import { type Contender, openHttp, openStdio } from './contenders.ts';
import { peersIn } from './peers.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '1000' },
    peers: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const node = process.execPath;
const directory = await mkdtemp(join(tmpdir(), 'bench-gateway-'));
// Bundled like the gateway, without the type stripper in memory.
await build({
  entryPoints: [at('echo-server.ts'), at('floor.ts')],
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  outdir: directory,
  entryNames: '[name]',
  outExtension: { '.js': '.mjs' },
  banner: { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" },
});
const ECHO = join(directory, 'echo-server.mjs');
const FLOOR = join(directory, 'floor.mjs');
const config = join(directory, 'backends.yaml');
await writeFile(
  config,
  JSON.stringify({ backends: [{ name: 'echo', command: node, args: [ECHO, 'stdio'] }] }),
);
// The gateway's state is deleted with the rest.
process.env.XDG_STATE_HOME = directory;
const run = (...options: string[]) => [node, PROGRAM, 'gateway', '--config', config, ...options];

const contenders: Contender[] = [];
try {
  contenders.push(
    await openStdio('direct stdio', 'stdio', [node, ECHO, 'stdio']),
    await openStdio('raw floor', 'stdio', [node, FLOOR, node, ECHO, 'stdio']),
    await openStdio('agent-relay gateway', 'stdio', run()),
    await openHttp('direct HTTP (SDK server)', 'http', (port) => [node, ECHO, 'http', String(port)], '/mcp'),
    await openHttp('agent-relay gateway', 'http', (port) => run('--http', String(port)), '/mcp'),
  );
  if (values.peers !== undefined) {
    for (const peer of await peersIn(values.peers, { node, echo: ECHO, directory })) contenders.push(peer);
  }
  for (const contender of contenders) await contender.warmUp();
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) await contender.measure(calls);
  }
  print(contenders);
} finally {
  await Promise.all(contenders.map((contender) => contender.close()));
  await rm(directory, { recursive: true, force: true });
}

function print(all: Contender[]): void {
  const baseline = new Map(
    all.filter(({ name }) => name.startsWith('direct')).map((one) => [one.front, one.p50]),
  );
  console.log(`${rounds} interleaved rounds of ${calls} calls, one in flight; medians\n`);
  console.log('front  contender                    p50 µs   ÷ direct   p99 µs   CPU µs/call   RSS MB');
  for (const { front, name, p50, p99, cpu, rss } of all) {
    const ratio = p50 / (baseline.get(front) ?? p50);
    console.log(
      [
        front.padEnd(6),
        name.padEnd(26),
        p50.toFixed(0).padStart(8),
        ratio.toFixed(2).padStart(10),
        p99.toFixed(0).padStart(8),
        cpu.toFixed(0).padStart(13),
        (rss / 1024 / 1024).toFixed(0).padStart(8),
      ].join(' '),
    );
  }
  const own = all.filter(({ name }) => name.startsWith('agent-relay'));
  for (const { front, p50, cpu, rss } of own) {
    const ratio = p50 / (baseline.get(front) ?? p50);
    const goal = front === 'stdio' ? 2.3 : 1.1;
    const verdicts = [
      `${front}: ${ratio.toFixed(2)} × direct (goal ≤ ${goal})`,
      ...(front === 'stdio' ? [`${cpu.toFixed(0)} µs CPU a call (goal ≤ 60)`] : []),
      `${(rss / 1024 / 1024).toFixed(0)} MB (goal ≤ 80)`,
    ];
    console.log(`\nP5 ${verdicts.join(', ')}`);
  }
}
