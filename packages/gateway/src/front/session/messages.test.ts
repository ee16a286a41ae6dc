import { RelayError } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import {
  AnswerTooLarge,
  BackendBusy,
  BackendError,
  CallAborted,
  CallTimeout,
  ConnectionLost,
  NotConnected,
} from '../../backend/failures.ts';
import { HttpRefused } from '../../backend/transports/transport.ts';
import { toJson } from '../../json/raw-json.ts';
import {
  errorBytes,
  failedToolResult,
  notificationMessage,
  ProtocolError,
  requestMessage,
  resultMessage,
  stampModern,
  toRelayError,
} from './messages.ts';

const parsed = (bytes: Buffer) => JSON.parse(bytes.toString());

it('keeps the id and the bytes of a result', () => {
  const result = Buffer.from('{"big":12345678901234567890}');
  expect(resultMessage(Buffer.from('"a"'), result).toString()).toBe(
    '{"jsonrpc":"2.0","id":"a","result":{"big":12345678901234567890}}',
  );
  expect(parsed(requestMessage(toJson(7), 'ping', toJson({})))).toEqual({
    jsonrpc: '2.0',
    id: 7,
    method: 'ping',
    params: {},
  });
  expect(parsed(notificationMessage('notifications/message'))).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/message',
  });
});

describe('a backend failure', () => {
  it.each([
    [new CallTimeout('no answer within 1 s'), 'Timeout', 'The backend "files": no answer within 1 s.'],
    [
      new BackendBusy('32 MB wait'),
      'Overloaded',
      'The backend "files" is not reading its input: 32 MB wait.',
    ],
    [
      new AnswerTooLarge('it is too large'),
      'ResultTooLarge',
      'The backend "files" sent an answer that was rejected: it is too large.',
    ],
    [
      new NotConnected('connect ECONNREFUSED'),
      'BackendUnavailable',
      'The backend "files" is not available: connect ECONNREFUSED.',
    ],
    [
      new HttpRefused(503, 'busy'),
      'BackendUnavailable',
      'The backend "files" is not available: HTTP 503: busy.',
    ],
    [new Error('a bug'), 'Internal', 'The gateway failed: a bug.'],
  ])('%o is %s', (error, code, message) => {
    expect(toRelayError(error, 'files')).toMatchObject({ code, message });
  });

  it.each([
    [new NotConnected('it is away'), true],
    [new HttpRefused(404, 'no such session'), true],
    [new ConnectionLost('it ended', true), false],
    [new HttpRefused(502, 'bad gateway'), false],
    [new CallTimeout('no answer'), false],
  ])('%o is retryable: %o', (error, retryable) => {
    expect(toRelayError(error)).toMatchObject({ retryable });
  });

  it('is a cancellation if the caller cancelled', () => {
    expect(toRelayError(new CallAborted('it was cancelled')).code).toBe('Cancelled');
  });

  it("of the relay's own connection keeps its message", () => {
    const cause = new RelayError('DaemonNotRunning', 'No daemon is running.');
    expect(toRelayError(new ConnectionLost('gone', true, { cause }))).toBe(cause);
  });
});

describe('an error', () => {
  it('of the backend is passed on byte for byte, if it is a valid error', () => {
    const bytes = Buffer.from('{"code":-32050,"message":"no luck","data":{"n":1.0}}');
    expect(errorBytes(new BackendError(bytes))).toBe(bytes);
    expect(parsed(errorBytes(new BackendError(Buffer.from('null'))))).toEqual({
      code: -32603,
      message: 'the backend answered with an error',
    });
  });

  it('of the protocol has its code, and its data if any', () => {
    expect(parsed(errorBytes(new ProtocolError(-32601, 'Method not found: x')))).toEqual({
      code: -32601,
      message: 'Method not found: x',
    });
    expect(parsed(errorBytes(new ProtocolError(-32022, 'no', { supported: [] }))).data).toEqual({
      supported: [],
    });
  });

  it('of a tool becomes a result that the model can read, with the next step', () => {
    const { content, structuredContent, isError } = parsed(failedToolResult(new CallTimeout('too late')));
    expect(isError).toBe(true);
    expect(structuredContent.error.code).toBe('Timeout');
    expect(content[0].text).toBe(
      `Error: The backend: too late. [Timeout] Next: ${structuredContent.error.next}`,
    );
  });

  it.each([
    [new RelayError('BackendNotFound'), 'List the servers with relay_list_servers.'],
    [new RelayError('ToolNotFound'), 'See the names of the tools with relay_get_status.'],
    [new RelayError('DaemonNotRunning'), 'Tell your user: Start it with: agent-relay daemon start'],
  ])('%s gives a model its code, and a tool to use or something to tell its user', (error, next) => {
    const text = expect.stringContaining(`[${error.code}] Next: ${next}`);
    expect(parsed(failedToolResult(error))).toMatchObject({
      content: [{ text }],
      structuredContent: { error: { code: error.code, next } },
    });
    expect(parsed(errorBytes(error))).toMatchObject({ message: text, data: { code: error.code, next } });
  });

  it('hides text of a backend that people cannot see', () => {
    const error = new ConnectionLost('gone\u202E', true);
    expect(JSON.stringify(parsed(failedToolResult(error)))).not.toContain('\u202E');
    expect(JSON.stringify(parsed(errorBytes(error)))).not.toContain('\u202E');
  });
});

describe('a result for a modern client', () => {
  it('has the fields that its revision requires, and keeps the others', () => {
    expect(parsed(stampModern('tools/list', toJson({ tools: [] })))).toMatchObject({
      tools: [],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
    const asked = { resultType: 'input_required', _meta: { mine: true } };
    expect(parsed(stampModern('tools/call', toJson(asked)))).toEqual(asked);
  });

  it('that is not an object stays unchanged', () => {
    const odd = Buffer.from('[1]');
    expect(stampModern('tools/call', odd)).toBe(odd);
  });
});
