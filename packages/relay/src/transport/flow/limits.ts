/** Beyond this many unsent bytes nothing is pushed; beyond four times as many, requests are not read either. */
export const HIGH_WATER_BYTES = 256 * 1024;

/** How long a closing connection may take to read its last bytes: one that is revoked is closed within a second. */
export const FAREWELL_MS = 750;
