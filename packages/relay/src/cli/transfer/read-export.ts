import { fileLines } from '@agent-relay/platform';
import {
  isRelayError,
  MAX_FRAME_BYTES,
  parsePayload,
  RelayError,
  type TransferRecord,
} from '@agent-relay/protocol';
import { transferRecord } from '@agent-relay/protocol/schemas';
import { cannotRead } from '../files/file-failure.ts';
import { type End, type Head, RecordCount } from './lines.ts';

interface Line {
  text: string;
  value: Head | End | TransferRecord;
}

/** Reads a whole export and checks that it is valid and complete, without keeping it. */
export async function checkExport(file: string): Promise<End> {
  const count = new RecordCount();
  let head: Head | undefined;
  let end: End | undefined;
  for await (const { text, value } of lines(file)) {
    if (end) throw damaged(file, 'there is data after its end');
    if (!head) head = asHead(file, value);
    else if (value.type === 'end') end = value;
    else count.add(value.type, `${text}\n`);
  }
  if (!head) throw damaged(file, 'it is empty');
  if (!end) throw damaged(file, 'it is truncated');
  const actual = count.end;
  if (JSON.stringify(actual.counts) !== JSON.stringify(end.counts) || actual.sha256 !== end.sha256) {
    throw damaged(file, 'its records were changed');
  }
  return end;
}

/** The records of a checked export. */
export async function* recordsOf(file: string): AsyncGenerator<{ text: string; record: TransferRecord }> {
  for await (const { text, value } of lines(file)) {
    if (value.type !== 'export' && value.type !== 'end') yield { text, record: value };
  }
}

async function* lines(file: string): AsyncGenerator<Line> {
  try {
    for await (const { text, number } of fileLines(file, MAX_FRAME_BYTES)) {
      if (text === undefined) throw damaged(file, `line ${number} is longer than ${MAX_FRAME_BYTES} bytes`);
      yield { text, value: parse(file, text, number) };
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw cannotRead(file, cause);
  }
}

/** Records are checked before anything is sent, so that a bad line is named and nothing is imported. */
function parse(file: string, text: string, number: number): Line['value'] {
  try {
    const value = JSON.parse(text) as Line['value'] | null;
    if (value?.type === 'export' || value?.type === 'end') return value;
    parsePayload(transferRecord, value, '');
    // Unchanged: the order of fields matters when copies are compared.
    return value as TransferRecord;
  } catch (cause) {
    if (cause instanceof SyntaxError) throw damaged(file, `line ${number} is not JSON`, cause);
    if (!isRelayError(cause)) throw cause;
    throw damaged(file, `line ${number} is not a record (${cause.message.replace(/\.$/, '')})`, cause);
  }
}

function asHead(file: string, value: Line['value']): Head {
  if (value.type === 'export' && value.version === 1) return value;
  throw new RelayError('InvalidRequest', `${file} is not an export that this version can read.`, {
    next: 'Create one with: agent-relay export',
  });
}

const damaged = (file: string, why: string, cause?: unknown): RelayError =>
  new RelayError('InvalidRequest', `${file} is damaged: ${why}. Nothing was imported.`, {
    next: 'Use another copy of the file.',
    cause,
  });
