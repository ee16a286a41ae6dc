import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { RelayError } from '@agent-relay/protocol';
import { approveIn } from './catalog/pins.ts';
import { reasonToDistrust } from './catalog/state-directory.ts';
import type { HttpFrontOptions } from './front/http/serve.ts';
import type { ServerManagers } from './front/session/context.ts';
import { serveGatewayStdio } from './front/stdio.ts';
import { createGateway } from './gateway.ts';
import { Log, type LogLevel, type WriteLogLine } from './log/log.ts';

/** What `agent-relay gateway` is started with. */
export interface RunOptions {
  /** Configuration files; `backends.yaml` in the working directory when there are none. */
  config?: string[];
  /** Offer search, describe and call tools in place of every backend's tools. */
  search?: boolean;
  /** Serve HTTP on this port in place of stdio. */
  http?: number;
  /** How HTTP is served. */
  front?: Omit<HttpFrontOptions, 'port' | 'choosePort'>;
  stateDir?: string;
  /** Who may add, remove and reconnect servers with the tools of the gateway. */
  manageServers?: ServerManagers;
  /** The largest answer of a backend that is passed on. */
  maxResultBytes?: number;
  /** The least important lines that are logged. Default: info. */
  logLevel?: LogLevel;
}

/** Where a gateway of these files remembers things: the same files find the same place. */
function stateDirOf(options: RunOptions, files: string[]): string {
  if (options.stateDir !== undefined) return options.stateDir;
  const base = process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
  const hash = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16);
  return join(base, 'agent-relay', 'gateway', hash);
}

const filesOf = (options: RunOptions): string[] =>
  (options.config?.length ? options.config : ['backends.yaml']).map((file) => resolve(file));

/** Calls leave much short-lived garbage and little that stays: with little room it is as fast, in 30 to 100 MB less. */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=25');
}

const writeToStderr: WriteLogLine = (line, level) =>
  process.stderr.write(`${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${line}\n`);

/** Runs a gateway on its own until its client leaves or the process is told to end. Logs go to stderr. */
export async function runGateway(options: RunOptions = {}): Promise<void> {
  keepHeapSmall();
  const log = new Log(options.logLevel ?? 'info', writeToStderr);
  if (options.http === undefined && process.stdin.isTTY)
    log.info(
      'This is an MCP server on standard input and output; your client starts it. For HTTP, use --http.',
    );
  const files = filesOf(options);
  for (const file of files.filter((path) => !existsSync(path)))
    log.warn(`No such file: ${file}. It is read as soon as it exists.`);
  const gateway = await createGateway({
    configFiles: files,
    stateDir: stateDirOf(options, files),
    manageServers: options.manageServers,
    mode: options.search ? 'search' : 'list',
    limits: options.maxResultBytes === undefined ? {} : { maxMessageBytes: options.maxResultBytes },
    log: writeToStderr,
    logLevel: options.logLevel,
  });
  const told = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => done());
  });
  if (options.http === undefined) {
    await Promise.race([serveGatewayStdio(gateway), told]);
  } else {
    const { serveGatewayHttp } = await import('./front/http/serve.ts');
    const place = { port: options.http, choosePort: '--http PORT' };
    const front = await serveGatewayHttp(gateway, { ...options.front, ...place });
    log.info(`Listening on ${front.url}`);
    await told;
    await front.close();
  }
  await gateway.close();
}

/** Approves what backends changed since they were first seen; a running gateway takes it over at once. */
export async function approveChanges(
  options: RunOptions,
  backend?: string,
  tool?: string,
): Promise<string[]> {
  const directory = stateDirOf(options, filesOf(options));
  const distrust = await reasonToDistrust(directory);
  if (distrust) {
    throw new RelayError('NotAllowedToRunAs', `Nothing is approved: ${distrust}.`, {
      next: `Delete ${directory} and look at the tools again.`,
    });
  }
  return approveIn(directory, backend, tool);
}
