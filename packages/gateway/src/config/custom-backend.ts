import type { OpenCustomChannel } from '../backend/transports/transport.ts';
import type { ConfiguredBackend } from './load.ts';

/** A backend of one session that is in no file. No file can use its name. */
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
    // Trusted to end its calls, which may take long.
    timeoutMs: 86_400_000,
    // Its notifications are limited at their source.
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
