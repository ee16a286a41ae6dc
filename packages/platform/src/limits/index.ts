// Pure code: the relay's core, which does no I/O, uses it too.
export { makeRoom, type Occupant, type Room } from './room.ts';
export { TokenBucket } from './token-bucket.ts';
export { TokenBuckets } from './token-buckets.ts';
