import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode, isRelayError, RelayError } from './errors.ts';

const codes = Object.keys(ERRORS) as ErrorCode[];

describe('the catalogue of errors', () => {
  it.each(codes)('%s says what happened and what to do next', (code) => {
    const { meaning, next, exit, http } = ERRORS[code];
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(next.length).toBeGreaterThan(10);
    expect(exit).toBeGreaterThan(0);
    expect(exit).toBeLessThan(64);
    expect(http).toBeGreaterThanOrEqual(400);
  });

  it.each(codes)('%s is the same error on the other side of the wire', (code) => {
    const sent = new RelayError(code, 'It went wrong.', {
      next: 'Do this.',
      details: { suggestions: ['Alice'], field: 'to' },
    });
    const received = RelayError.fromPayload(JSON.parse(JSON.stringify(sent.toPayload('r1'))));
    expect(received).toMatchObject({
      code,
      message: sent.message,
      next: sent.next,
      details: sent.details,
      retryable: ERRORS[code].retryable,
      exitCode: ERRORS[code].exit,
    });
  });

  it('has an id only if it answers a request', () => {
    expect(new RelayError('Timeout').toPayload('r1').id).toBe('r1');
    expect(new RelayError('Timeout').toPayload()).not.toHaveProperty('id');
  });
});

describe('a code this version does not know', () => {
  it.each(['FromTheFuture', 'toString', 'constructor', '__proto__'])(
    "%s becomes Internal with the sender's message",
    (code) => {
      const error = RelayError.fromPayload({ code, message: 'So it is.', next: 'Wait.', retryable: true });
      expect(error).toMatchObject({ code: 'Internal', message: `${code}: So it is.`, next: 'Wait.' });
    },
  );
});

describe('distinguishing errors', () => {
  it('goes by code', () => {
    const error = new RelayError('Timeout');
    expect(isRelayError(error)).toBe(true);
    expect(isRelayError(error, 'Timeout')).toBe(true);
    expect(isRelayError(error, 'Cancelled')).toBe(false);
    expect(isRelayError(new Error('Timeout'))).toBe(false);
  });
});
