const ESCAPE = 0x1b;
/** After ESC. */
const MODE_CHANGE = /^\[[?><][\d;]*[hlum]/;
const LONGEST_CHANGE = 64;

/**
 * What must not be missed of output that nobody has time to emulate: the modes it switches. Finding them costs a
 * fraction of emulating.
 */
export function condense(output: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = output.indexOf(ESCAPE); at >= 0; at = output.indexOf(ESCAPE, at + 1)) {
    const [change] = MODE_CHANGE.exec(output.toString('latin1', at + 1, at + LONGEST_CHANGE)) ?? [];
    if (change !== undefined) kept.push(output.subarray(at, at + 1 + change.length));
  }
  return Buffer.concat(kept);
}
