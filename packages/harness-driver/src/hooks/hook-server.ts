import type { Duplex } from 'node:stream';
import { LineServer } from '../sockets/line-server.ts';
import { type HookReport, parseReport } from './hook-report.ts';
import { PermissionAsk } from './permission-ask.ts';
import { Waiter } from './waiter.ts';

/** More than any report has. */
const MOST_BYTES = 64 * 1024;

/** Receives the reports of the CLI's hooks, one of which waits for a message. */
export class HookServer implements AsyncDisposable {
  readonly #lines = new LineServer(MOST_BYTES, (socket) => this.#serve(socket));
  #waiter: Waiter | undefined;
  readonly permission = new PermissionAsk();
  /** Called with each report, and without one when the waiting process has changed. */
  onReport: (report?: HookReport) => void = () => undefined;

  private constructor() {
    this.permission.onGone = () => this.onReport();
  }

  /** The socket must be in a directory private to this user. */
  static async listen(socketPath: string): Promise<HookServer> {
    const hooks = new HookServer();
    await hooks.#lines.listen(socketPath);
    return hooks;
  }

  /** The process that is waiting, if any: it waits as long as it is connected. */
  get waiter(): Waiter | undefined {
    return this.#waiter?.isWaiting ? this.#waiter : undefined;
  }

  /** Waiting processes end with their connections. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#lines[Symbol.asyncDispose]();
  }

  #serve(socket: Duplex): (line: string) => void {
    let waiter: Waiter | undefined;
    return (line) => {
      if (waiter) waiter.heard(line);
      else waiter = this.#report(socket, line);
    };
  }

  #report(socket: Duplex, line: string): Waiter | undefined {
    const report = parseReport(line);
    if (report === undefined) {
      socket.destroy();
      return undefined;
    }
    const waiter = report.waits ? this.#keep(socket) : undefined;
    // Requests of subagents belong to no turn that is tracked here.
    if (report.asks) this.permission.keep(socket, report.isSubagent ? undefined : report.tool);
    else if (!waiter) socket.end('{}\n');
    this.onReport(report);
    return waiter;
  }

  /** The newest belongs to the current session; one is enough. */
  #keep(socket: Duplex): Waiter {
    const waiter = new Waiter(socket);
    this.#waiter?.release();
    this.#waiter = waiter;
    socket.once('close', () => this.onReport());
    return waiter;
  }
}
