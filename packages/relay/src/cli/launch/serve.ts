import { isRelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk';
import { findReadyDaemon } from '../../daemon/control.ts';
import { openTerminalLog } from '../../daemon/log/log.ts';
import type { Settings } from '../../daemon/settings/settings.ts';
import { startDaemon } from '../../daemon/start.ts';
import { readableLogLine } from '../output/log-lines.ts';
import { print, printAside } from '../output/terminal.ts';
import { stopSignal } from '../process/stop-signal.ts';
import { PROGRAM } from '../program-file.ts';
import { asOwner } from '../target/connect.ts';
import { type OpenedProject, openProjectAt, type ProjectLocation } from '../target/project.ts';
import { openInRunning } from '../target/running.ts';
import { openRolesDoor } from './door.ts';
import { concerns, heldLine, logLine } from './log-line.ts';

/**
 * Serves the roles, on the user's daemon or on its own, which ends with it, and prints their messages until
 * it is stopped.
 */
export async function serveRoles(options: {
  location: ProjectLocation;
  settings: Settings;
  port: number;
  roles: readonly string[];
  key: string | undefined;
  onReady(project: OpenedProject): void;
}): Promise<void> {
  const { location, settings, onReady } = options;
  const stopped = stopSignal();
  await using daemon = await daemonFor(location, settings);
  const { project, failed } = daemon;
  const serve = async (relay: Relay) => {
    await using parts = new AsyncDisposableStack();
    const door = await openRolesDoor({ ...options, project, onerror: complain });
    parts.defer(() => door.close());
    onReady(project);
    const ended = await Promise.race([stopped, failed, printMessages(relay, options.roles)]);
    if (ended instanceof Error) throw ended;
  };
  await asOwner({ project: project.project }, serve, { reconnect: true });
}

interface ServingDaemon extends AsyncDisposable {
  project: OpenedProject;
  /** Resolves if this process runs the daemon and it fails. */
  failed: Promise<Error>;
}

async function daemonFor(location: ProjectLocation, settings: Settings): Promise<ServingDaemon> {
  // This terminal shows the messages of the roles; of the daemon only errors.
  const log = openTerminalLog({ ...settings, log: { ...settings.log, level: 'warn' } }, (line) =>
    printAside(readableLogLine(line, process.stderr)),
  );
  try {
    const open = (openProject: Parameters<typeof openProjectAt>[1]) => openProjectAt(location, openProject);
    // This command's options set the port of the sessions, not these.
    const portOptions = { http: 'RELAY_HTTP_PORT', mcp: 'RELAY_MCP_HTTP_PORT' };
    const { opened, failed, stop } = await startDaemon({
      startedFor: { directory: process.cwd() },
      settings,
      log,
      program: PROGRAM,
      portOptions,
      open,
    });
    return { project: opened, failed, [Symbol.asyncDispose]: stop };
  } catch (error) {
    if (!isRelayError(error, 'DaemonRunning')) throw error;
  }
  await findReadyDaemon(settings.dataDirectory);
  return {
    project: await openInRunning(location),
    failed: new Promise(() => undefined),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Prints each message of the roles when it is stored or held; reconnects after a restart. */
async function printMessages(relay: Relay, roles: readonly string[]): Promise<void> {
  relay.on('message.held', (event) => {
    if (concerns(event, roles)) printHeld(relay, event.messageId).catch(complain);
  });
  await relay.watch();
  for await (const message of relay.tail()) if (concerns(message, roles)) print(logLine(message));
}

async function printHeld(relay: Relay, id: string): Promise<void> {
  const held = (await relay.held.list()).find((message) => message.id === id);
  // It may have been released meanwhile, and is then printed like any message.
  if (held) print(heldLine(held));
}

const complain = (error: unknown): void =>
  printAside(`error: ${error instanceof Error ? error.message : String(error)}`);
