/** Whether the draft ends as the text does; a composer breaks long lines, so blanks do not count. */
export function showsEndOf(draft: string, text: string): boolean {
  const end = squeezed(text).slice(-24);
  return end !== '' && squeezed(draft).endsWith(end);
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');
