import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawingStreams, hostileStreams } from '../../../../test/kit/terminal-streams.ts';
import { unlisted, WatchedTerminal } from '../../../../test/kit/watched-terminal.ts';
import { Drawing } from './drawing.ts';

// `npm run test:faults -- --only hostile-output` does the same a million times, and in tmux.
const RUN = { seed: 20_260_101, numRuns: 400 };

it('lets nothing through that does more than draw, and leaves no mode behind', async () => {
  const terminal = new WatchedTerminal();
  const property = fc.asyncProperty(hostileStreams(), async ({ chunks }) => {
    const drawing = new Drawing(WatchedTerminal.size);
    const drawn = chunks.map((chunk) => drawing.of(chunk));
    expect(unlisted(Buffer.concat(drawn))).toBe('');
    await terminal.examine(drawn, drawing.undo());
  });
  await fc.assert(property, RUN);
}, 30_000);

it('draws the same as without it', async () => {
  const [filtered, plain] = [new WatchedTerminal(), new WatchedTerminal()];
  const property = fc.asyncProperty(drawingStreams({ lines: true }), async ({ bytes, chunks }) => {
    const drawing = new Drawing(WatchedTerminal.size);
    const drawn = Buffer.concat(chunks.map((chunk) => drawing.of(chunk)));
    expect(await filtered.picture(drawn)).toEqual(await plain.picture(bytes));
  });
  await fc.assert(property, RUN);
}, 30_000);

it('reads the same, however the output is cut', () => {
  const property = fc.property(hostileStreams(), ({ bytes, chunks }) => {
    const [whole, cut] = [new Drawing(WatchedTerminal.size), new Drawing(WatchedTerminal.size)];
    const pieces = Buffer.concat(chunks.map((chunk) => cut.of(chunk)));
    expect(pieces.equals(whole.of(bytes))).toBe(true);
    expect(cut.undo()).toBe(whole.undo());
  });
  fc.assert(property, RUN);
});
