import type { IFunctionIdentifier, IParser } from '@xterm/xterm';

/** OSC sequences that affect more than the screen's cells, or query: titles, colours, hyperlinks, the clipboard. */
const COMMANDS = [0, 1, 2, 4, 8, 9, 10, 11, 12, 50, 52, 104, 110, 111, 112, 133, 633, 777, 1337];

/** Queries that a terminal answers as input: attributes, status, modes, window, version. */
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

/** Lets an agent's output draw and nothing else: no links, clipboard, titles or queries. */
export function onlyDraw(parser: IParser): void {
  for (const command of COMMANDS) parser.registerOscHandler(command, swallow);
  for (const query of QUERIES) parser.registerCsiHandler(query, swallow);
  for (const control of DEVICE_CONTROLS) parser.registerDcsHandler(control, swallow);
}

/** Focus reports, which the program did not request from this viewer. */
export const isFocusReport = (keys: string): boolean => keys === '\x1b[I' || keys === '\x1b[O';
