import type { OpenMemoryLink } from '../backend/memory-transport.ts';
import type { ConfiguredBackend } from './load.ts';

/** A server in this process as a backend of one session. Its name is none that a file could give. */
export const localBackend = (name: string, open: OpenMemoryLink): ConfiguredBackend => ({
  config: {
    name: `(${name})`,
    endpoint: { kind: 'memory', open },
    address: 'this process',
    prefix: '',
    allow: [],
    deny: [],
    // It is trusted to end its calls, and may have reason to take long.
    timeoutMs: 86_400_000,
    lazy: false,
    idleStopMs: 0,
    pin: 'off',
    scope: 'session',
  },
  file: '',
  path: [],
});
