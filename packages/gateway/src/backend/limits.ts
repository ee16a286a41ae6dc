/** Limits for a backend, in bytes and in time. */
export interface BackendLimits {
  maxMessageBytes: number;
  /** How much may wait to be written to a backend. */
  maxBacklogBytes: number;
  /** How often a lost backend is retried, forever. */
  reconnectMs: number;
  connectMs: number;
  /** How long a call waits for the backend to connect. */
  callConnectMs: number;
}

export const USUAL_LIMITS: BackendLimits = {
  maxMessageBytes: 32 * 1024 * 1024,
  maxBacklogBytes: 32 * 1024 * 1024,
  reconnectMs: 5000,
  connectMs: 60_000,
  callConnectMs: 10_000,
};
