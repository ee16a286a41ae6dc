/** What a backend may cost, in bytes and in time. */
export interface BackendLimits {
  maxMessageBytes: number;
  /** How much may wait to be written to a backend that does not read. */
  maxBacklogBytes: number;
  /** The interval at which a lost backend is tried again, for ever. */
  reconnectMs: number;
  connectMs: number;
  /** How long a call waits for a backend that has to be connected first. */
  callConnectMs: number;
}

export const USUAL_LIMITS: BackendLimits = {
  maxMessageBytes: 32 * 1024 * 1024,
  maxBacklogBytes: 32 * 1024 * 1024,
  reconnectMs: 5000,
  connectMs: 60_000,
  callConnectMs: 10_000,
};
