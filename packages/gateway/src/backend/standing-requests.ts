import type { ConnectedBackend } from './connected-backend.ts';

/** What a backend is asked on every new connection: updates of the watched resources, and a log level. */
export class StandingRequests {
  readonly watchedUris: Set<string>;
  logLevel: string | undefined;

  /** Those of a replaced backend carry over. */
  constructor(replaced: StandingRequests | undefined) {
    this.watchedUris = new Set(replaced?.watchedUris);
    this.logLevel = replaced?.logLevel;
  }

  repeatOn(connected: ConnectedBackend): void {
    // Modern servers report changes of their lists only to listeners.
    if (connected.era === 'modern' || this.watchedUris.size > 0) connected.listen(this.watchedUris);
    if (this.logLevel !== undefined) connected.setLogLevel(this.logLevel);
  }
}
