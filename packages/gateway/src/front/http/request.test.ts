import { describe, expect, it } from 'vitest';
import { META, MODERN_VERSION } from '../../backend/rpc/negotiate.ts';
import type { HttpError } from './refusal.ts';
import { classify } from './request.ts';

const meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', _meta: meta } };
const headers = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
const posted = (body: unknown, given: Record<string, string> = {}) =>
  classify(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), given);

function refusalOf(
  body: unknown,
  given: Record<string, string> = {},
): { status: number; code: number; id?: string } {
  try {
    posted(body, given);
  } catch (error) {
    const { status, error: told, id } = error as HttpError;
    return { status, code: told.code, ...(id ? { id: id.toString() } : {}) };
  }
  return expect.unreachable('the request was accepted');
}

it('reads messages of both eras without changing their bytes', () => {
  expect(posted({ jsonrpc: '2.0', id: 'a', method: 'ping' })).toMatchObject({
    era: 'legacy',
    method: 'ping',
  });
  expect(posted(call, headers)).toMatchObject({ era: 'modern', method: 'tools/call', id: Buffer.from('7') });
  // An answer has no method.
  expect(posted({ jsonrpc: '2.0', id: 1, result: {} })).toMatchObject({ method: undefined });
});

describe('a request is refused for', () => {
  it.each([
    ['invalid JSON', '{"a"', { status: 400, code: -32700 }],
    ['a batch', '[{}]', { status: 400, code: -32600 }],
    ['JSON that is not a message', '{}', { status: 400, code: -32600 }],
    ['a duplicate key', '{"id":1,"method":"ping","method":"x"}', { status: 400, code: -32600, id: '1' }],
  ])('%s', (_what, body, refusal) => {
    expect(refusalOf(body)).toEqual(refusal);
  });

  it.each([
    ['another version', { 'mcp-protocol-version': '2027-01-01' }, -32020],
    ['another method', { 'mcp-method': 'tools/list' }, -32020],
    ['another name', { 'mcp-name': 'other' }, -32020],
  ])('a header with %s than the body', (_what, wrong, code) => {
    expect(refusalOf(call, { ...headers, ...wrong })).toEqual({ status: 400, code, id: '7' });
  });

  it('a missing envelope, another version, or an unknown method in a modern request', () => {
    expect(refusalOf({ ...call, params: { name: 'echo' } }, headers)).toMatchObject({
      status: 400,
      code: -32602,
    });
    const newer = { ...meta, [META.protocolVersion]: '2027-01-01' };
    const other = { ...headers, 'mcp-protocol-version': '2027-01-01' };
    expect(refusalOf({ ...call, params: { name: 'echo', _meta: newer } }, other)).toMatchObject({
      status: 400,
      code: -32022,
    });
    const unknown = { ...call, method: 'tools/destroy' };
    expect(refusalOf(unknown, { ...headers, 'mcp-method': 'tools/destroy' })).toMatchObject({
      status: 404,
      code: -32601,
    });
  });
});

it('accepts an encoded name in the header', () => {
  const named = { ...call, params: { name: 'écho', _meta: meta } };
  const encoded = `=?base64?${Buffer.from('écho').toString('base64')}?=`;
  expect(posted(named, { ...headers, 'mcp-name': encoded })).toMatchObject({ era: 'modern' });
});
