/** The sequences that switch a mode: keyboards, the screen, the keypad, the region, the cursor, character sets; and resets. */
const MODE_CHANGES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
  /\x1b(?:\[(?:[?><=]?[\d;]{0,40}[hlu]|>[\d;]{0,9}m|\d{0,4}(?:;\d{0,4})?r|\d? q|!p)|[=>c]|[()][0-9A-Z]|%[@G])/g;

/**
 * Keeps what must not be lost of output that is skipped: the modes it switches. Finding them costs a fraction of
 * emulating.
 */
export const condense = (output: Buffer): Buffer =>
  Buffer.from((output.toString('latin1').match(MODE_CHANGES) ?? []).join(''), 'latin1');
