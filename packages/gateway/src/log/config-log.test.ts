import { expect, it } from 'vitest';
import { customBackend } from '../config/custom-backend.ts';
import type { ConfiguredBackend } from '../config/load.ts';
import type { ServerStatus } from '../front/tools/status.ts';
import { describeChange, describeLoaded, describeReady } from './config-log.ts';

const backend = (name: string, more: Partial<ConfiguredBackend['config']> = {}): ConfiguredBackend => {
  const { config } = customBackend(name, () => Promise.reject(new Error('not opened')));
  return { config: { ...config, name, scope: 'shared', ...more }, file: 'backends.yaml', path: [] };
};
const status = (name: string, health: ServerStatus['health'], tools: number): ServerStatus => ({
  name,
  url: '',
  health,
  connected: health === 'healthy' || health === 'degraded',
  tools,
  tool_names: [],
});

it('names what was loaded', () => {
  expect(describeLoaded([backend('a'), backend('b')])).toBe('Loaded 2 backends: a, b');
  expect(describeLoaded([])).toBe('Loaded 0 backends');
});

it('names added, removed and changed backends; a new order alone is no change', () => {
  const before = [backend('a'), backend('b'), backend('c')];
  expect(describeChange(before, [backend('c'), backend('b', { prefix: 'b_' }), backend('d')])).toBe(
    'added d; removed a; changed b',
  );
  expect(describeChange(before, [backend('c'), backend('b'), backend('a')])).toBeUndefined();
});

it('counts shared backends, and names those that are not connected yet, with the reason', () => {
  const backends = [
    backend('a'),
    backend('slow'),
    backend('lazy', { lazy: true }),
    backend('own', { scope: 'session' }),
  ];
  const servers = [
    status('a', 'degraded', 3),
    status('slow', 'connecting', 0),
    status('lazy', 'unknown', 4),
    status('own', 'unknown', 0),
  ];
  expect(describeReady(backends, servers)).toBe(
    'Connected to 1/3 backends, 7 tools; still connecting: slow; connecting at the first call: lazy; connecting for each client: own. Ready.',
  );
});
