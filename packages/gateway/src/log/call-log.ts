import { type JsonMembers, stringFrom } from '../json/raw-json.ts';
import type { Log } from './log.ts';

const LONGEST_ID = 64;

/** Follows each request of each client at level debug. Ids are the gateway's own: those of two clients may be the same. */
export class CallLog {
  readonly #log: Log;
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Undefined unless debug lines are written. */
  received(clientId: Buffer, method: string, params: JsonMembers): CallTrace | undefined {
    if (!this.#log.debugs) return undefined;
    const subject = stringFrom(params.get('name') ?? params.get('uri'));
    const what = subject === undefined ? method : `${method} ${subject}`;
    const trace = new CallTrace(this.#log, ++this.#count);
    trace.log(`${what} (client request ${clientId.toString().slice(0, LONGEST_ID)})`);
    return trace;
  }
}

/** The way of one request. Arguments and results are never logged. */
export class CallTrace {
  readonly #log: Log;
  readonly #id: number;
  readonly #began = performance.now();
  #hasEnded = false;

  constructor(log: Log, id: number) {
    this.#log = log;
    this.#id = id;
  }

  log(line: string): void {
    this.#log.debug(`call ${this.#id}: ${line}`);
  }

  sent(backend: string, name: string): void {
    this.log(`sent to ${backend} as ${name}`);
  }

  answered(bytes: number): void {
    this.#end(`answered in ${this.#elapsed} ms, ${bytes} bytes`);
  }

  failed(reason: string): void {
    this.#end(`failed after ${this.#elapsed} ms: ${reason}`);
  }

  get #elapsed(): number {
    return Math.round(performance.now() - this.#began);
  }

  /** A failure may also be the answer; the first to be told is logged. */
  #end(line: string): void {
    if (!this.#hasEnded) this.log(line);
    this.#hasEnded = true;
  }
}
