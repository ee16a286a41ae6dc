import type { OpenCustomChannel } from '../backend/transport.ts';
import type { ConfiguredBackend } from './load.ts';

/** A backend of one session that no file lists. Its name is none that a file could give. */
export const customBackend = (
  name: string,
  open: OpenCustomChannel,
  options: Pick<ConfiguredBackend, 'meanwhile'> = {},
): ConfiguredBackend => ({
  config: {
    name: `(${name})`,
    endpoint: { kind: 'custom', open },
    address: name,
    secrets: [],
    prefix: '',
    allow: [],
    deny: [],
    // It is trusted to end its calls, and may have reason to take long.
    timeoutMs: 86_400_000,
    // What comes through it was bounded where it came from.
    notificationsPerSecond: 1_000_000,
    lazy: false,
    idleStopMs: 0,
    pin: 'off',
    scope: 'session',
  },
  file: '',
  path: [],
  ...options,
});
