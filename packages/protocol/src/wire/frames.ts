import { RelayError } from '../errors.ts';

/** The largest frame either side accepts unless told otherwise: far above any message, far below a flood. */
export const MAX_FRAME_BYTES = 1024 * 1024;

const HEADER_BYTES = 4;
/** Shared: it keeps no state between whole texts, and each instance costs memory. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A frame: the length of the JSON text in bytes (unsigned, 32 bits, big-endian), then the text in UTF-8. Frames are for
 * streams of bytes, which browsers do not have: Node's buffers, many of which share one piece of memory, cost a tenth of
 * a `Uint8Array` for each.
 */
export function encodeFrame(json: string): Uint8Array {
  const length = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.writeUInt32BE(length);
  frame.write(json, HEADER_BYTES);
  return frame;
}

/**
 * Cuts a byte stream into the texts of its frames, whatever way the stream was split.
 *
 * It throws `FrameTooLarge` as soon as a header announces more than `maxBytes` (what garbage looks like): the stream
 * is out of sync, the parser stays broken and the connection must be closed. A frame of invalid UTF-8 is reported to
 * `onInvalid` and the next frame is still readable; without `onInvalid` it breaks the parser as well.
 */
export class FrameParser {
  readonly #maxBytes: number;
  /** Bytes of an unfinished frame, in order; joined once, when the frame is complete. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #broken: RelayError | undefined;

  constructor(maxBytes: number = MAX_FRAME_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes held for a frame that is not complete yet. */
  get buffered(): number {
    return this.#pendingBytes;
  }

  /** Passes each complete text in `chunk`, together with earlier chunks, to `onText`, in order. */
  push(chunk: Uint8Array, onText: (text: string) => void, onInvalid?: (error: RelayError) => void): void {
    if (this.#broken) throw this.#broken;
    let bytes = chunk;
    if (this.#pendingBytes > 0) {
      this.#pending.push(chunk);
      this.#pendingBytes += chunk.length;
      if (this.#pendingBytes < this.#wanted()) return;
      bytes = this.#joinPending();
    }
    let offset = 0;
    while (bytes.length - offset >= HEADER_BYTES) {
      const length = this.#lengthAt(bytes, offset);
      const end = offset + HEADER_BYTES + length;
      if (end > bytes.length) break;
      this.#emit(bytes.subarray(offset + HEADER_BYTES, end), onText, onInvalid);
      offset = end;
    }
    if (offset < bytes.length) {
      // A copy, also of a Node buffer: the rest must not keep a whole network buffer alive, nor change when that is reused.
      this.#pending = [Uint8Array.prototype.slice.call(bytes, offset)];
      this.#pendingBytes = bytes.length - offset;
    }
  }

  #emit(body: Uint8Array, onText: (text: string) => void, onInvalid?: (error: RelayError) => void): void {
    let text: string;
    try {
      text = decoder.decode(body);
    } catch (cause) {
      const error = new RelayError('MalformedFrame', 'The frame is not valid UTF-8.', { cause });
      if (!onInvalid) {
        this.#broken = error;
        throw error;
      }
      onInvalid(error);
      return;
    }
    onText(text);
  }

  /** How many bytes the unfinished frame needs before it is worth joining the pieces. */
  #wanted(): number {
    const first = this.#pending[0];
    if (first === undefined || first.length < HEADER_BYTES) return HEADER_BYTES;
    return HEADER_BYTES + this.#lengthAt(first, 0);
  }

  #lengthAt(bytes: Uint8Array, offset: number): number {
    let length = 0;
    for (let at = offset; at < offset + HEADER_BYTES; at++) length = length * 256 + (bytes[at] as number);
    if (length <= this.#maxBytes) return length;
    this.#broken = new RelayError(
      'FrameTooLarge',
      `The frame has ${length} bytes; the limit is ${this.#maxBytes}.`,
    );
    throw this.#broken;
  }

  #joinPending(): Uint8Array {
    const joined = new Uint8Array(this.#pendingBytes);
    let offset = 0;
    for (const piece of this.#pending) {
      joined.set(piece, offset);
      offset += piece.length;
    }
    this.#pending = [];
    this.#pendingBytes = 0;
    return joined;
  }
}
