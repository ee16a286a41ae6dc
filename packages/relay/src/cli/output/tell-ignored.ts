import { safeLine } from '@agent-relay/protocol';
import type { OnIgnored } from '@agent-relay/sdk/node';
import { printAside } from './terminal.ts';

const told = new Set<string>();

/** Says once that a `.relay` is ignored, and why: the user may expect its project. */
export const tellIgnored: OnIgnored = (path, why) => {
  if (told.has(path)) return;
  told.add(path);
  printAside(safeLine(`note: Ignoring ${path}: ${why}.`));
};
