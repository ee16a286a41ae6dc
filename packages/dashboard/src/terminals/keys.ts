/** Keys that phones do not have. */
export type BarKey = 'Escape' | 'Tab' | 'Left' | 'Down' | 'Up' | 'Right' | 'Enter';

const PLAIN: Partial<Record<BarKey, string>> = { Escape: '\x1b', Tab: '\t', Enter: '\r' };
const ARROWS: Partial<Record<BarKey, string>> = { Left: 'D', Down: 'B', Up: 'A', Right: 'C' };

/** The sequence a terminal sends for a key; arrow keys have two forms, chosen by the program. */
export function sequenceOf(
  key: BarKey,
  { application, control }: { application: boolean; control: boolean },
) {
  const arrow = ARROWS[key];
  if (arrow === undefined) return PLAIN[key] ?? '';
  if (control) return `\x1b[1;5${arrow}`;
  return application ? `\x1bO${arrow}` : `\x1b[${arrow}`;
}

/** A letter with Ctrl; characters without a control form stay as they are. */
export function withControl(typed: string): string {
  if (typed === ' ' || typed === '@') return '\0';
  if (typed === '?') return '\x7f';
  return /^[a-z[\\\]^_]$/i.test(typed)
    ? String.fromCharCode(typed.toUpperCase().charCodeAt(0) & 0x1f)
    : typed;
}
