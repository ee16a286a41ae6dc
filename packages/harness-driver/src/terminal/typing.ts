const ESC = '\u001b';
const BEL = '\u0007';

/** Reports of the mouse and of the window, and answers of the terminal to a program: nobody typed them. */
const REPORTS = [
  String.raw`${ESC}\[<[\d;]+[Mm]`,
  String.raw`${ESC}\[[IO]`,
  String.raw`${ESC}\[[?>]?[\d;]*[Rcnuy]`,
  String.raw`${ESC}[\]P][^${BEL}${ESC}]*(${BEL}|${ESC}\\)`,
];
const REPORT = new RegExp(REPORTS.join('|'), 'g');

/** Whether a person typed something in these bytes, rather than moved the mouse or looked elsewhere. */
export const isTyping = (keys: Buffer): boolean => keys.toString('latin1').replace(REPORT, '') !== '';
