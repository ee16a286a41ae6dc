/** What a terminal shows at one moment: everything an adapter may use. */
export interface ScreenView {
  readonly columns: number;
  readonly rows: number;
  /** From top to bottom, one for each row. */
  readonly lines: readonly ScreenLine[];
  readonly cursor: { readonly row: number; readonly column: number; readonly visible: boolean };
  /** Whether the program uses the alternate screen, as full-screen programs do. */
  readonly alternate: boolean;
  /** Whether the program takes pasted text as one unit. */
  readonly bracketedPaste: boolean;
}

export interface ScreenLine {
  /** Without trailing spaces. */
  readonly text: string;
  /** How each character of the text looks: `i` inverse, `d` dim, `b` bold, `c` coloured, `.` plain. */
  readonly looks: string;
  /** The first character has another background than what follows it: it is beside a panel, not on it. */
  readonly isBesidePanel?: true;
}
