/** What `j` and `k` go through: rows of a list, in the order of the page. */
const ROW = '[data-row]';

const MAIN = '#main';
const PANEL = '.panel';

/** The list the focus is in: that of an open panel, or that of the page. */
function rowsHere(): HTMLElement[] {
  const panel = document.activeElement?.closest(PANEL) ?? null;
  const rows = (panel ?? document.querySelector(MAIN))?.querySelectorAll<HTMLElement>(ROW) ?? [];
  return [...rows].filter((row) => row.closest(PANEL) === panel && row.checkVisibility());
}

/** A row is focused itself, or by the link it consists of. */
const targetOf = (row: HTMLElement | undefined): HTMLElement | null | undefined =>
  row?.hasAttribute('tabindex') ? row : row?.querySelector<HTMLElement>('a, button');

const isInView = (row: HTMLElement): boolean => {
  const { top, bottom } = row.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

/** Moves the focus to the next or the previous row; without one, to the first or the last in view. */
export function moveByRow(step: 1 | -1): void {
  const rows = rowsHere();
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? (step === 1 ? rows.find(isInView) : rows.findLast(isInView)) : rows[at + step];
  targetOf(next)?.focus();
}

/** The keys of a row, and what they do; each presses the control of the row that names it. */
export const ROW_KEYS: Record<string, string> = {
  '.': 'Open the menu of the row',
  r: 'Reply to the message, or answer the question',
  e: 'React to the message',
  x: 'Select what waits, to settle several at once',
};

/** Presses the control for a key in the row with the focus; false if it has none. */
export function pressInRow(key: string): boolean {
  const row = document.activeElement?.closest(ROW);
  const control = row?.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  if (control?.matches('input:not([type="checkbox"])')) control.focus();
  else control?.click();
  return control instanceof HTMLElement;
}
