/** How much of the end of a text is compared. */
const END = 24;
/** So much is visible of the end of a longer text. */
const LONG = 2 * END;

/**
 * Whether the draft ends like the text. Spaces are ignored, because composers wrap long lines, and so is what CLIs and terminals draw
 * in different ways: joiners, marks on letters, emoji. If the text ends with much of that, the rest may be all that is visible.
 */
export function showsEndOf(draft: string, text: string): boolean {
  const shown = plain(draft);
  const wanted = plain(text);
  if (shown.length < END && isLong(draft) && endsWithLittle(text)) return wanted.endsWith(shown);
  return wanted !== '' && shown.endsWith(wanted.slice(-END));
}

const isLong = (draft: string): boolean => visible(draft).length > LONG;

/** There is less than usual to compare in what a composer shows of its end. */
const endsWithLittle = (text: string): boolean => plain(visible(text).slice(-LONG)).length < END;

const visible = (text: string): string => text.replace(/\s+/g, '');

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(
      /[\s\p{M}\p{Cf}\p{DI}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u{FFFD}]+/gu,
      '',
    );
