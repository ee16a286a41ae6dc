/** Arguments of one call: more could overflow the stack. */
const LETTERS_AT_ONCE = 8192;

export function toBase64(bytes: Uint8Array): string {
  let letters = '';
  for (let start = 0; start < bytes.length; start += LETTERS_AT_ONCE) {
    letters += String.fromCharCode(...bytes.subarray(start, start + LETTERS_AT_ONCE));
  }
  return btoa(letters);
}

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
