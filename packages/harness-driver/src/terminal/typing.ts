const ESC = '\u001b';
const BEL = '\u0007';

/** Reports of the mouse and the window, and answers of the terminal: nobody typed them. */
const REPORTS = [
  String.raw`${ESC}\[<[\d;]+[Mm]`,
  String.raw`${ESC}\[[IO]`,
  String.raw`${ESC}\[[?>]?[\d;]*[Rcnuy]`,
  String.raw`${ESC}[\]P][^${BEL}${ESC}]*(${BEL}|${ESC}\\)`,
];
const REPORT = new RegExp(REPORTS.join('|'), 'g');

/** Whether these bytes contain typing, not only mouse or focus reports. */
export const isTyping = (keys: Buffer): boolean => keys.toString('latin1').replace(REPORT, '') !== '';
