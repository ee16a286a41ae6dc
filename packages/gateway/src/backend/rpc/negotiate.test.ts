import { describe, expect, it } from 'vitest';
import { type LocalAnswer, localRpc, type Received } from '../../../../../test/gateway/kit/local-rpc.ts';
import { MODERN_VERSION, negotiate, ProbeKilled } from './negotiate.ts';

const OPTIONS = { known: undefined, clientCapabilities: { roots: {} }, timeoutMs: 50 };
const unknownMethod: LocalAnswer = { error: { code: -32601, message: 'Method not found' } };
const initialized = (protocolVersion: string): LocalAnswer => ({
  result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
});
const discovered: LocalAnswer = {
  result: { supportedVersions: [MODERN_VERSION], capabilities: { prompts: {} } },
};

/** A server that answers by method; `asked` are the methods it was sent. */
function server(
  kind: 'stdio' | 'http',
  answers: Record<string, LocalAnswer | ((count: number) => LocalAnswer)>,
) {
  const counts = new Map<string, number>();
  const { rpc, received } = localRpc(kind, ({ method }: Received) => {
    const count = (counts.get(method) ?? 0) + 1;
    counts.set(method, count);
    const answer = answers[method];
    return typeof answer === 'function' ? answer(count) : answer;
  });
  return { rpc, asked: () => received.map(({ method }) => method), received };
}

describe('a server', () => {
  it('that supports the newest revision gets no further probe', async () => {
    const { rpc, asked, received } = server('http', { 'server/discover': discovered });
    expect(await negotiate(rpc, OPTIONS)).toEqual({ era: 'modern', capabilities: { prompts: {} } });
    expect(asked()).toEqual(['server/discover']);
    expect(JSON.stringify(received[0]?.params)).toContain(
      '"io.modelcontextprotocol/clientCapabilities":{"roots":{}}',
    );
  });

  it('that does not support it is initialized, in any older revision', async () => {
    const { rpc, asked } = server('stdio', {
      'server/discover': unknownMethod,
      initialize: initialized('2024-11-05'),
    });
    expect(await negotiate(rpc, OPTIONS)).toEqual({ era: 'legacy', capabilities: { tools: {} } });
    expect(asked()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  it('that ignores the probe is initialized too', async () => {
    const { rpc } = server('stdio', { initialize: initialized('2025-06-18') });
    expect((await negotiate(rpc, OPTIONS)).era).toBe('legacy');
  });

  it('of a known era is not probed again', async () => {
    const { rpc, asked } = server('stdio', { initialize: initialized('2025-11-25') });
    await negotiate(rpc, { ...OPTIONS, known: 'legacy' });
    expect(asked()[0]).toBe('initialize');
  });

  it('that was upgraded refuses initialize, and is probed again', async () => {
    const refused: LocalAnswer = { error: { code: -32022, message: 'unsupported' } };
    const { rpc } = server('stdio', { initialize: refused, 'server/discover': discovered });
    expect((await negotiate(rpc, { ...OPTIONS, known: 'legacy' })).era).toBe('modern');
  });

  it('that refuses our version but lists it is asked again, once', async () => {
    const error = { code: -32022, message: 'unsupported', data: { supported: [MODERN_VERSION] } };
    const { rpc, asked } = server('http', {
      'server/discover': (count) => (count === 1 ? { error } : discovered),
    });
    expect((await negotiate(rpc, OPTIONS)).era).toBe('modern');
    expect(asked()).toEqual(['server/discover', 'server/discover']);
  });

  it('that crashes on the probe is restarted if it is a program', async () => {
    await expect(negotiate(server('stdio', { 'server/discover': 'dies' }).rpc, OPTIONS)).rejects.toThrow(
      ProbeKilled,
    );
    await expect(negotiate(server('http', { 'server/discover': 'dies' }).rpc, OPTIONS)).rejects.not.toThrow(
      ProbeKilled,
    );
  });

  it('of an unknown revision is refused', async () => {
    const { rpc } = server('stdio', {
      'server/discover': unknownMethod,
      initialize: initialized('1999-01-01'),
    });
    await expect(negotiate(rpc, OPTIONS)).rejects.toThrow('unknown protocol version (1999-01-01)');
  });
});
