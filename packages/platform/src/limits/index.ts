// Pure code: the relay's core, which does no I/O, uses it too.
export { TokenBucket } from './token-bucket.ts';
export { TokenBuckets } from './token-buckets.ts';
