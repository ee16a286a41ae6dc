import { objectFrom } from '../json/raw-json.ts';

/** The backend answered with a JSON-RPC error; `bytes` is that error as it came. */
export class BackendError extends Error {
  readonly bytes: Buffer;
  readonly code: number | undefined;
  constructor(bytes: Buffer) {
    const { code, message } = objectFrom(bytes) ?? {};
    super(typeof message === 'string' ? message : 'the backend answered with an error');
    this.bytes = bytes;
    this.code = typeof code === 'number' ? code : undefined;
  }
}

/** The connection went away. `written` is false when the backend cannot have seen the request. */
export class ConnectionLost extends Error {
  readonly written: boolean;
  constructor(reason: string, written: boolean, options?: ErrorOptions) {
    super(reason, options);
    this.written = written;
  }
}

/** The backend did not answer in time. */
export class CallTimeout extends Error {}
/** So much waits to be written to the backend that nothing is added to it. */
export class BackendBusy extends Error {}
/** The caller gave up. */
export class CallAborted extends Error {}
/** The answer was larger than the gateway passes on. */
export class AnswerTooLarge extends Error {}
