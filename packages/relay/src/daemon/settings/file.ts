import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { isOwn, isWritableByOthers, systemReason } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

/** A settings file: JSON with comments. A missing file has no settings. */
export interface SettingsFile {
  value: Record<string, unknown>;
  /** The file and line of a setting, for people. */
  placeOf(path: Array<string | number>): string;
}

export async function readSettingsFile(file: string): Promise<SettingsFile> {
  const text = await readOptional(file);
  const tree = parseJson(text, file);
  return {
    value: tree === undefined ? {} : (getNodeValue(tree) as Record<string, unknown>),
    placeOf(path) {
      const node = tree && findNodeAtLocation(tree, path);
      return node ? `${file}:${lineAt(text, node.offset)}` : file;
    },
  };
}

async function readOptional(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    checkWriters(file, await handle.stat());
    return await handle.readFile('utf8');
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new RelayError(
      'InvalidSettings',
      `${file} cannot be read: ${systemReason(cause, 'it does not exist')}.`,
      {
        cause,
      },
    );
  }
}

/** Settings can contain commands, so the file must belong to this user or root. */
function checkWriters(file: string, found: Stats): void {
  const isTheirs = !isOwn(found) && found.uid !== 0;
  if (!isTheirs && !isWritableByOthers(found)) return;
  throw new RelayError(
    'InvalidSettings',
    `${file} ${isTheirs ? 'belongs to another user' : 'can be changed by other users'}.`,
    {
      next: isTheirs
        ? 'Set RELAY_CONFIG to a directory of your own.'
        : `Check what it says, then run: chmod go-w ${file}`,
    },
  );
}

function parseJson(text: string, file: string): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error) {
    const why = printParseErrorCode(error.error)
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase();
    throw new RelayError('InvalidSettings', `${file}:${lineAt(text, error.offset)}: not JSON (${why}).`);
  }
  if (tree !== undefined && tree.type !== 'object') {
    throw new RelayError('InvalidSettings', `${file}:1: the settings must be an object: { … }.`);
  }
  return tree;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
