/** Beyond this many unsent bytes nothing is pushed; beyond four times as many, requests are not read either. */
export const HIGH_WATER_BYTES = 256 * 1024;
