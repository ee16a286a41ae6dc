import { createHash } from 'node:crypto';
import { RelayError } from '@agent-relay/protocol';
import { PIECE_BYTES } from '../attachments.ts';
import { rows, type Script } from '../script.ts';

/**
 * Contents are found by hash, in every workspace. So an imported content, which arrives in pieces, is stored under
 * another name until it is complete and its hash matches.
 */
const unchecked = (sha256: string): string => `unchecked ${sha256}`;

export function* pieceAt(name: string, position: number): Script<Uint8Array | undefined> {
  const [found] = yield* rows<{ piece: Uint8Array }>(
    'SELECT piece FROM contents WHERE sha256 = ? AND position = ?',
    [name, position],
  );
  return found?.piece;
}

/** Adds a piece of an incomplete content, replacing a different one at the same position. */
export function* addUnchecked(sha256: string, position: number, piece: Uint8Array): Script<void> {
  yield* rows(
    `INSERT INTO contents (sha256, position, piece) VALUES (?, ?, ?)
     ON CONFLICT (sha256, position) DO UPDATE SET piece = excluded.piece`,
    [unchecked(sha256), position, piece],
  );
}

interface File {
  name: string;
  size: number;
  sha256: string;
}

/** Checks the content of an imported file, and stores it under its hash. */
export function* takeContent(file: File): Script<void> {
  const { sha256, size } = file;
  const hash = createHash('sha256');
  for (let position = 0; position < size; position += PIECE_BYTES) {
    const piece = (yield* pieceAt(sha256, position)) ?? (yield* pieceAt(unchecked(sha256), position));
    if (piece?.length !== Math.min(PIECE_BYTES, size - position)) throw damaged(file);
    hash.update(piece);
  }
  if (hash.digest('hex') !== sha256) throw damaged(file);
  yield* rows(
    `INSERT INTO contents (sha256, position, piece)
     SELECT CAST(? AS text), position, piece FROM contents WHERE sha256 = ? AND position < ? ON CONFLICT DO NOTHING`,
    [sha256, unchecked(sha256), size],
  );
  yield* rows('DELETE FROM contents WHERE sha256 = ?', [unchecked(sha256)]);
}

const damaged = ({ name, sha256 }: File): RelayError =>
  new RelayError('InvalidRequest', `The content of the file "${name}" does not match its hash ${sha256}.`);
