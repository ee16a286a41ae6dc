import { objectFrom, toJson } from '../json/raw-json.ts';

/** What an error is taken for that says nothing. */
const NO_ERROR = { code: -32603, message: 'the backend answered with an error' };

/** The backend answered with a JSON-RPC error; `bytes` is that error as it came, if it is one. */
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

/** The connection went away. `written` is false when the backend cannot have seen the request. */
export class ConnectionLost extends Error {
  readonly written: boolean;
  constructor(reason: string, written: boolean, options?: ErrorOptions) {
    super(reason, options);
    this.written = written;
  }
}

/** No connection could be made, so the backend has seen nothing. */
export class NotConnected extends ConnectionLost {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, false, options);
  }
}

/** The backend did not answer in time. */
export class CallTimeout extends Error {}
/** So much waits to be written to the backend that nothing is added to it. */
export class BackendBusy extends Error {}
/** The caller gave up. */
export class CallAborted extends Error {}
/** The answer was larger, or otherwise more, than the gateway passes on. */
export class AnswerTooLarge extends Error {}
