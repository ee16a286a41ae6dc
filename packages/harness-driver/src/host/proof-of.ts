import { join } from 'node:path';
import { dataDirectory, type Environment } from '@agent-relay/sdk/node';
import type { CliAdapter } from '../clis/adapter.ts';
import { PathProof } from '../delivery/path-proof.ts';

/** What is known of the paths of this version, on this machine. */
export const proofOf = (
  { word, proven, screen }: CliAdapter,
  version: string | undefined,
  env: Environment,
): PathProof => {
  const directory = join(dataDirectory(env), 'proven');
  return new PathProof({ word, version, proven, directory, ...(!screen && { unusable: ['pty'] }) });
};
