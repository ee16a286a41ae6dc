import { expect, it } from 'vitest';
import { type LocalAnswer, localRpc, type Received } from '../../../../../test/gateway/kit/local-rpc.ts';
import { fetchList } from './fetch-lists.ts';
import type { Negotiated } from './negotiate.ts';

const LEGACY: Negotiated = { era: 'legacy', capabilities: {} };
const read = (
  answer: (request: Received) => LocalAnswer,
  negotiated = LEGACY,
  list: 'tools' | 'prompts' = 'tools',
) => {
  const { rpc, received } = localRpc('stdio', answer);
  return { list: fetchList(rpc, negotiated, list, 1000), received };
};
const page = (tools: unknown[], nextCursor?: string): LocalAnswer => ({ result: { tools, nextCursor } });

it('follows the cursor of the server through all pages', async () => {
  const { list, received } = read(({ params }) =>
    params.cursor === undefined ? page([1, 2], 'more') : page([3]),
  );
  expect(await list).toEqual({ items: [1, 2, 3] });
  expect(received.map(({ params }) => params.cursor)).toEqual([undefined, 'more']);
});

it('always requests tools, and other lists only if the server announces them', async () => {
  const silent = read(() => page([]), LEGACY, 'prompts');
  expect(await silent.list).toEqual({ items: [] });
  expect(silent.received).toEqual([]);
  const announced = read(
    () => ({ result: { prompts: [1] } }),
    { ...LEGACY, capabilities: { prompts: {} } },
    'prompts',
  );
  expect(await announced.list).toEqual({ items: [1] });
});

it('keeps the usable part of a list that is too long, too large, endless or invalid', async () => {
  const many = await read(() => page(Array.from({ length: 3000 }, () => ({})))).list;
  expect(many).toMatchObject({ problem: 'More than 2000 tools: the rest is left out' });
  expect(many.items).toHaveLength(2000);
  const large = await read(() => page(['x'.repeat(3 * 1024 * 1024)], 'next')).list;
  expect(large).toMatchObject({ problem: 'More than 8 MB of tools: the rest is left out' });
  expect(large.items).toHaveLength(2);
  expect(await read(() => page([1], 'again')).list).toMatchObject({
    problem: 'More than 100 pages of tools: the rest is left out',
  });
  expect(await read(() => ({ result: { tools: 'none' } })).list).toEqual({
    items: [],
    problem: 'Invalid response structure',
  });
});
