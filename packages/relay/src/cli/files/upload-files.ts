import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Relay } from '@agent-relay/sdk/node';
import { cannotRead } from './file-failure.ts';

/** Uploads files one after the other; returns their ids. */
export async function uploadFiles(relay: Relay, paths: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) {
    const { id } = await relay.attach(basename(path), await contentOf(path));
    ids.push(id);
  }
  return ids;
}

async function contentOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}
