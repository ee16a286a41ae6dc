/**
 * Ids that sort by creation time, so that indexes on them grow at one end. `random` is the only source of
 * randomness, `now` the only clock; the caller passes both.
 */
export type NewId = (prefix: string) => string;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LETTERS = 9;
const RANDOM_LETTERS = 6;
const RANDOM_RANGE = 32 ** RANDOM_LETTERS;

/** Returns `prefix_` + 9 letters of time + 6 that start at random each millisecond and count up within it. */
export function idMaker(now: () => number, random: () => number): NewId {
  let lastTime = 0;
  let counter = 0;
  return (prefix) => {
    const time = now();
    if (time > lastTime) {
      lastTime = time;
      // The upper half stays free for counting up, so that a busy millisecond never wraps around.
      counter = Math.floor(random() * (RANDOM_RANGE / 2));
    } else {
      counter += 1;
    }
    return `${prefix}_${base32(lastTime, TIME_LETTERS)}${base32(counter, RANDOM_LETTERS)}`;
  };
}

function base32(value: number, letters: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < letters; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
