/** How much of the end of a text is compared. */
const END = 24;

/**
 * Whether the draft ends like the text. Spaces are ignored, because composers wrap long lines, and so is what CLIs and terminals draw
 * in different ways: joiners, marks on letters, emoji. If most of what is visible is that, less is left to compare.
 */
export function showsEndOf(draft: string, text: string): boolean {
  const [shown, wanted] = [plain(draft), plain(text)];
  const length = shown.length < END && visible(draft).length > 2 * END ? shown.length : END;
  const end = length === 0 ? '' : wanted.slice(-length);
  return (end !== '' || length === 0) && shown.endsWith(end);
}

const visible = (text: string): string => text.replace(/\s+/g, '');

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(
      /[\s\p{M}\p{Cf}\p{DI}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u{FFFD}]+/gu,
      '',
    );
