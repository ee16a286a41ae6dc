import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cannotUse, ensurePrivateDirectory, isMissing, writeAtomically } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';
import { checkDataDirectory } from '@agent-relay/sdk/node';
import { holdFile, isBusy } from '../store/sqlite/held-file.ts';
import type { StartFlags } from './settings/table.ts';

/** What a running daemon publishes next to its lock. */
export interface DaemonRecord {
  pid: number;
  version: string;
  startedAt: number;
  /** The URL of WebSocket, health and metrics. */
  http?: string;
  /** Where MCP is served over HTTP. */
  mcp?: string;
  logFile?: string;
  /** The flags it was started with, for a restart. */
  flags: StartFlags;
  /** The names of the variables that were set for it, without their values. */
  variables?: string[];
  /** The hash of the API key for MCP over HTTP, if set; the key itself is not stored. */
  mcpKeyMark?: string;
}

export interface DaemonLock {
  /** Publishes that this daemon is ready, and how to reach it. */
  publish(record: DaemonRecord): Promise<void>;
  release(): Promise<void>;
}

const lockFile = (dataDirectory: string) => join(dataDirectory, 'daemon.lock');
const recordFile = (dataDirectory: string) => join(dataDirectory, 'daemon.json');

/** Makes this process the only daemon of the data directory, or throws `DaemonRunning`. */
export async function takeLock(dataDirectory: string): Promise<DaemonLock> {
  await ensurePrivateDirectory(dataDirectory);
  const release = await holdFile(lockFile(dataDirectory)).catch((cause) => {
    throw cannotUse(dataDirectory, cause);
  });
  if (!release) throw new RelayError('DaemonRunning', `A daemon is already running for ${dataDirectory}.`);
  await rm(recordFile(dataDirectory), { force: true });
  return {
    publish: (record) =>
      writeAtomically(recordFile(dataDirectory), `${JSON.stringify(record, undefined, 2)}\n`),
    async release() {
      await rm(recordFile(dataDirectory), { force: true });
      release();
    },
  };
}

/** Whether a daemon holds the lock of the data directory. */
export function isLocked(dataDirectory: string): boolean {
  if (!existsSync(lockFile(dataDirectory))) return false;
  const database = new DatabaseSync(lockFile(dataDirectory), { readOnly: true, timeout: 0 });
  try {
    database.exec('SELECT 1 FROM sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

/**
 * The record of the daemon that holds the lock: `undefined` if no daemon is running, `starting` until it has published
 * that it is ready.
 */
export async function findDaemon(dataDirectory: string): Promise<DaemonRecord | 'starting' | undefined> {
  await checkDataDirectory({ RELAY_DATA_DIR: dataDirectory });
  if (!isLocked(dataDirectory)) return undefined;
  try {
    return JSON.parse(await readFile(recordFile(dataDirectory), 'utf8')) as DaemonRecord;
  } catch (error) {
    if (isMissing(error)) return 'starting';
    throw error;
  }
}
