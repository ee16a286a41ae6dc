/** Whether the draft ends like the text; spaces are ignored, because composers wrap long lines. */
export function showsEndOf(draft: string, text: string): boolean {
  const end = squeezed(text).slice(-24);
  return end !== '' && squeezed(draft).endsWith(end);
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');
