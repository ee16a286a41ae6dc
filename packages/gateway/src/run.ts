import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { RelayError } from '@agent-relay/protocol';
import { approveIn, type ChangedTool, changedIn } from './catalog/pins.ts';
import { reasonToDistrust } from './catalog/state-directory.ts';
import type { HttpFrontOptions } from './front/http/serve.ts';
import type { ServerManagers } from './front/session/context.ts';
import { serveGatewayStdio } from './front/stdio.ts';
import { createGateway } from './gateway.ts';
import { Log, type LogLevel, type WriteLogLine } from './log/log.ts';

/** Options of `agent-relay gateway`. */
export interface RunOptions {
  /** Configuration files. Default: `backends.yaml` in the working directory. */
  config?: string[];
  /** List tools to search, describe and call instead of all tools. */
  search?: boolean;
  /** Serve HTTP on this port instead of stdio. */
  http?: number;
  /** Options of the HTTP server. */
  front?: Omit<HttpFrontOptions, 'port' | 'choosePort'>;
  stateDir?: string;
  /** Who may add, remove and reconnect servers by tool call. */
  manageServers?: ServerManagers;
  /** Size limit for answers of backends. */
  maxResultBytes?: number;
  /** Default: info. */
  logLevel?: LogLevel;
}

/** The state directory for a set of configuration files. */
function stateDirOf(options: RunOptions, files: string[]): string {
  if (options.stateDir !== undefined) return options.stateDir;
  const base = process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
  const hash = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16);
  return join(base, 'agent-relay', 'gateway', hash);
}

const filesOf = (options: RunOptions): string[] =>
  (options.config?.length ? options.config : ['backends.yaml']).map((file) => resolve(file));

/** Calls create mostly short-lived garbage. A small heap is as fast and saves 30 to 100 MB. */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=25');
}

const writeToStderr: WriteLogLine = (line, level) =>
  process.stderr.write(`${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${line}\n`);

/** Runs a gateway until its client disconnects or a signal ends it. Logs to stderr. */
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

/** The changed tool definitions that a person has to approve. */
export async function changedTools(
  options: RunOptions,
  only: { server?: string | undefined; tool?: string | undefined } = {},
): Promise<ChangedTool[]> {
  return changedIn(await trustedStateDir(options), only);
}

/** Approves a changed definition that a person has read. A running gateway notices at once. */
export async function approveChange(
  options: RunOptions,
  change: Pick<ChangedTool, 'server' | 'tool' | 'digest'>,
): Promise<void> {
  if (await approveIn(await trustedStateDir(options), change)) return;
  throw new RelayError('IdConflict', `The definition of '${change.tool}' is not the one that was shown.`, {
    next: 'Read the current definition, then approve that.',
  });
}

async function trustedStateDir(options: RunOptions): Promise<string> {
  const directory = stateDirOf(options, filesOf(options));
  const distrust = await reasonToDistrust(directory);
  if (distrust === undefined) return directory;
  throw new RelayError('NotAllowedToRunAs', `Nothing was approved: ${distrust}.`, {
    next: `Delete ${directory} and review the tools again.`,
  });
}
