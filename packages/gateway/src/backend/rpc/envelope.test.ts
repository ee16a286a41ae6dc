import { expect, it } from 'vitest';
import { objectFrom, toJson } from '../../json/raw-json.ts';
import { paramsFor } from './envelope.ts';
import { META, MODERN_VERSION } from './negotiate.ts';

const metaOf = (params: Map<string, Buffer>) => objectFrom(params.get('_meta'));

it("adds the version and the caller's capabilities to each request to a modern server", () => {
  const params = new Map([['_meta', toJson({ progressToken: 1 })]]);
  expect(metaOf(paramsFor('modern', params, { roots: {} }))).toMatchObject({
    progressToken: 1,
    [META.protocolVersion]: MODERN_VERSION,
    [META.clientCapabilities]: { roots: {} },
  });
  expect(metaOf(paramsFor('modern', new Map(), undefined))?.[META.clientCapabilities]).toEqual({});
});

it('adds nothing to a request to an older server', () => {
  const meta = { progressToken: 1, [META.protocolVersion]: MODERN_VERSION, [META.clientInfo]: {} };
  const params = new Map([
    ['name', toJson('echo')],
    ['_meta', toJson(meta)],
  ]);
  const sent = paramsFor('legacy', params, {});
  expect(metaOf(sent)).toEqual({ progressToken: 1 });
  expect(sent.get('name')).toBe(params.get('name'));
  const plain = new Map([['_meta', toJson({ mine: 1 })]]);
  expect(paramsFor('legacy', plain, {})).toBe(plain);
});
