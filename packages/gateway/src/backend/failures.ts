import { objectFrom, toJson } from '../json/raw-json.ts';

/** Stands for an error without content. */
const NO_ERROR = { code: -32603, message: 'the backend answered with an error' };

/** The backend answered with a JSON-RPC error. `bytes` is that error unchanged, if it is valid. */
export class BackendError extends Error {
  readonly bytes: Buffer;
  readonly code: number | undefined;
  constructor(received: Buffer) {
    const given = objectFrom(received);
    const { code, message } = given ?? NO_ERROR;
    super(typeof message === 'string' ? message : NO_ERROR.message);
    this.bytes = given ? received : toJson(NO_ERROR);
    this.code = typeof code === 'number' ? code : undefined;
  }
}

/** The connection was lost. `written` is false if the backend cannot have seen the request. */
export class ConnectionLost extends Error {
  readonly written: boolean;
  constructor(reason: string, written: boolean, options?: ErrorOptions) {
    super(reason, options);
    this.written = written;
  }
}

/** No connection could be made, so the backend has not seen the request. */
export class NotConnected extends ConnectionLost {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, false, options);
  }
}

/** The backend did not answer in time. */
export class CallTimeout extends Error {}
/** Too much is waiting to be written to the backend. */
export class BackendBusy extends Error {}
/** The caller cancelled. */
export class CallAborted extends Error {}
/** The answer exceeds a limit of the gateway. */
export class AnswerTooLarge extends Error {}
