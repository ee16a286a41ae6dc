/** The start of a sequence that switches a mode. */
const BEGINNINGS = ['\u001b[?', '\u001b[>', '\u001b[<'];
/** The whole sequence, after ESC. */
const MODE_CHANGE = /^\[[?><][\d;]*[hlum]/;
const LONGEST_CHANGE = 64;

/**
 * Keeps what must not be lost of output that is skipped: the modes it switches. Finding them costs a fraction of
 * emulating.
 */
export function condense(output: Buffer): Buffer {
  const kept: Array<{ at: number; bytes: Buffer }> = [];
  for (const beginning of BEGINNINGS) {
    for (let at = output.indexOf(beginning); at >= 0; at = output.indexOf(beginning, at + 1)) {
      const [change] = MODE_CHANGE.exec(output.toString('latin1', at + 1, at + LONGEST_CHANGE)) ?? [];
      if (change !== undefined) kept.push({ at, bytes: output.subarray(at, at + 1 + change.length) });
    }
  }
  return Buffer.concat(kept.sort((one, other) => one.at - other.at).map(({ bytes }) => bytes));
}
