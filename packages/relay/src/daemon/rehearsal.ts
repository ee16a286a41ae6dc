import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { isMissing, systemReason } from '@agent-relay/platform';
import { listenError } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';
import { requireFiles } from './doors/server-files.ts';
import { PORT_OPTIONS } from './run-options.ts';
import { withoutPassword } from './settings/locate.ts';
import type { Settings } from './settings/settings.ts';
import { readTls } from './settings/tls.ts';

/** Where the daemon listens that is to be replaced: those ports will be free. */
interface Replaced {
  http?: string;
  mcp?: string;
}

/**
 * Checks what a daemon with these settings needs from the machine, so that the running one is not stopped in vain: files, the
 * database and ports. It changes nothing.
 */
export async function rehearse(settings: Settings, replaced: Replaced): Promise<void> {
  const { mcp, http, database } = settings;
  if (mcp.servers.length > 0) await checkServers(mcp.servers);
  if (mcp.tlsCertificate !== undefined && mcp.tlsKey !== undefined)
    await readTls(mcp.tlsCertificate, mcp.tlsKey);
  await checkDatabase(database);
  const taken = [replaced.http, replaced.mcp].flatMap((url) => (url ? [Number(new URL(url).port)] : []));
  const checkPort = async (host: string, port: number, choosePort: string) => {
    if (port !== 0 && !taken.includes(port)) await tryPort({ host, port, choosePort });
  };
  if (http.enabled) await checkPort(http.host, http.port, PORT_OPTIONS.http);
  if (mcp.http) await checkPort(mcp.host, mcp.port, PORT_OPTIONS.mcp);
}

async function checkServers(files: string[]): Promise<void> {
  await requireFiles(files);
  const { loadConfig } = await import('@agent-relay/gateway');
  await loadConfig(files, process.env, dirname);
}

async function checkDatabase(database: string): Promise<void> {
  if (/^postgres(ql)?:\/\//.test(database)) return await checkPostgres(database);
  try {
    await access(await existing(database), constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw new RelayError(
      'InvalidSettings',
      `The database ${database} cannot be opened: ${systemReason(cause, 'its directory does not exist')}.`,
      { next: 'Correct --database, RELAY_DATABASE or database in settings.json.', cause },
    );
  }
}

/** The file, or the directory it will be created in. */
async function existing(file: string): Promise<string> {
  try {
    await stat(file);
    return file;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return dirname(file);
  }
}

async function checkPostgres(url: string): Promise<void> {
  const { connect } = await import('../store/postgres/database.ts');
  const pool = connect(url, 1);
  try {
    await pool.query('SELECT 1');
  } catch (cause) {
    throw new RelayError(
      'StoreUnavailable',
      `The database ${withoutPassword(url)} cannot be reached: ${(cause as Error).message || String(cause)}.`,
      { next: 'Check that it runs and that RELAY_DATABASE is right.', cause },
    );
  } finally {
    await pool.end();
  }
}

async function tryPort(address: { host: string; port: number; choosePort: string }): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host: address.host, port: address.port });
    await once(server, 'listening');
  } catch (cause) {
    throw await listenError(cause as Error, address);
  } finally {
    server.close();
  }
}
