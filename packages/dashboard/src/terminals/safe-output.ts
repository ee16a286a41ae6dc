import type { IFunctionIdentifier, IParser } from '@xterm/xterm';

/** Titles, colours, hyperlinks, the clipboard: everything that reaches beyond the cells of the screen, or asks. */
const COMMANDS = [0, 1, 2, 4, 8, 9, 10, 11, 12, 50, 52, 104, 110, 111, 112, 133, 633, 777, 1337];

/** What a terminal answers by typing: attributes, status, modes, its window, its version. */
const QUERIES: IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { final: 't' },
  { prefix: '>', final: 'q' },
  { prefix: '?', final: 'u' },
  { final: 'x' },
];

const DEVICE_CONTROLS: IFunctionIdentifier[] = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
  { final: 'q' },
  { final: '|' },
];

const swallow = (): boolean => true;

/** An agent's output may draw, and nothing else: whatever a program prints, it opens, copies, names and asks nothing. */
export function onlyDraw(parser: IParser): void {
  for (const command of COMMANDS) parser.registerOscHandler(command, swallow);
  for (const query of QUERIES) parser.registerCsiHandler(query, swallow);
  for (const control of DEVICE_CONTROLS) parser.registerDcsHandler(control, swallow);
}

/** Reports of the page's own focus, which the program did not ask this viewer for. */
export const isFocusReport = (keys: string): boolean => keys === '\x1b[I' || keys === '\x1b[O';
