import { readdirSync } from 'node:fs';
import xterm from '@xterm/headless';
import { expect, it } from 'vitest';
import { readSessionFile } from '../../../../test/kit/session-files.ts';
import { drawRows } from '../../../harness-driver/src/screen/draw-rows.ts';
import { Drawing } from './drawing.ts';

/** The pictures are compared each time that so much was written. */
const COMPARED = 10;
const SESSIONS = new URL('../../../../test/agents/sessions/', import.meta.url);

const pictureOf = (terminal: xterm.Terminal) => {
  const { cursorX, cursorY, type } = terminal.buffer.active;
  const rows = drawRows(terminal, { first: 0, count: terminal.rows, columns: terminal.cols });
  return { rows, cursor: [cursorY, cursorX], type, modes: { ...terminal.modes } };
};
const write = (terminal: xterm.Terminal, output: Uint8Array) =>
  new Promise<void>((done) => terminal.write(output, done));

it.each(readdirSync(SESSIONS))('draws a recorded session as it was drawn: %s', async (file) => {
  const terminals = [0, 1].map(() => new xterm.Terminal({ allowProposedApi: true }));
  const [plain, viewer] = terminals as [xterm.Terminal, xterm.Terminal];
  let drawing = new Drawing({ columns: plain.cols, rows: plain.rows });
  const recording = readSessionFile(new URL(file, SESSIONS));
  for (const [at, { event }] of recording.entries()) {
    if (Buffer.isBuffer(event)) {
      await Promise.all([write(plain, event), write(viewer, drawing.of(event))]);
      if (at % COMPARED > 0 && at < recording.length - 1) continue;
      expect(pictureOf(viewer)).toEqual(pictureOf(plain));
    } else {
      for (const terminal of terminals) terminal.resize(event.columns, event.rows);
      drawing = new Drawing(event);
    }
  }
});
