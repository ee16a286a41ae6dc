/** A message has new content if it has two new words that are not courtesies, or one significant one. */
const NEW_CONTENT = 2;
/** How much of a long message is checked. */
const MAX_LENGTH = 8_192;

export const saysSomethingNew = (body: string, said: ReadonlySet<string>): boolean => {
  let weight = 0;
  for (const word of contentWords(body)) if (!said.has(word)) weight += isWeighty(word) ? 2 : 1;
  return weight >= NEW_CONTENT;
};

/** The distinct words of a message, without courtesies and filler words. */
export function contentWords(body: string): Set<string> {
  const words =
    body
      .slice(0, MAX_LENGTH)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => (word.length > 2 || isWeighty(word)) && !COURTESY.has(word)));
}

/** Identifiers, long words and larger numbers are rarely courtesies. */
const isWeighty = (word: string): boolean => word.length >= 9 || /\d{4}|_|\p{L}\d|\d\p{L}/u.test(word);

const COURTESY = new Set(
  `the and for you your yours are was were will would can could should have has had this that these those with from
  what when where which who why how not but all any our ours out let lets get got now then than too very just also
  thanks thank thx welcome great good nice fine perfect awesome excellent wonderful okay okey sure yes yep yeah right
  glad happy help helped helpful pleasure anytime cheers bye goodbye please sorry ack acknowledged acknowledge roger
  noted understood received confirm confirmed confirming agreed agree sounds standing stand ready done complete
  completed appreciate appreciated likewise same again know need needs anything something else more further looking
  forward working work well keep touch talk soon later team collaboration collaborating together message messages`
    .trim()
    .split(/\s+/),
);
