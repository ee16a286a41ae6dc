import assert from 'node:assert/strict';
import { Drawing } from '@agent-relay/protocol/drawing';
import fc from 'fast-check';
import { drawingStreams, hostileStreams, type Stream } from '../kit/terminal-streams.ts';
import { unlisted, WatchedTerminal } from '../kit/watched-terminal.ts';
import type { Fault, FaultOptions } from './fault.ts';
import { TmuxPane } from './kit/tmux-pane.ts';

/** How many are in memory at once. */
const AT_ONCE = 2000;
/** Of each so many streams one is compared with what it draws unfiltered. */
const DRAWING_SHARE = 10;
/** Enough to see that the streams do what they must not, where nothing stands between. */
const UNFILTERED = 200;

export const hostileOutput: Fault = {
  name: 'hostile-output',
  what: 'output of programs that tries to act on the terminal of a viewer: title, clipboard, links, answers, modes',
  async run(options) {
    await inEmulator(options, options.short ? 5000 : 1_000_000);
    await inTmux(options, options.short ? 50 : 10_000);
  },
};

async function inEmulator({ seed, say }: FaultOptions, cases: number): Promise<void> {
  const [terminal, unfiltered, drawn] = [new WatchedTerminal(), new WatchedTerminal(), new WatchedTerminal()];
  let reacted = 0;
  for (const { bytes } of fc.sample(hostileStreams(), { numRuns: UNFILTERED, seed }))
    if (!isBomb(bytes) && (await unfiltered.noticed(bytes)).length > 0) reacted += 1;
  assert(reacted > UNFILTERED / 10, `Unfiltered, only ${reacted} streams acted.`);
  await inBlocks(hostileStreams(), cases, seed, async (stream) => {
    const { chunks, undo } = filtered(stream);
    assert.equal(unlisted(Buffer.concat(chunks)), '', told(stream));
    await terminal.examine(chunks, undo).catch((cause) => {
      throw new Error(told(stream), { cause });
    });
  });
  const compared = cases / DRAWING_SHARE;
  const plain = new WatchedTerminal();
  await inBlocks(drawingStreams({ lines: true }), compared, seed, async (stream) => {
    const { chunks } = filtered(stream);
    const pictures = await Promise.all([drawn.picture(Buffer.concat(chunks)), plain.picture(stream.bytes)]);
    assert.deepEqual(pictures[0], pictures[1], told(stream));
  });
  say(
    `emulator: ${cases} streams, nothing but drawing, all modes reset; ${compared} that only draw, drawn the same`,
  );
}

async function inTmux({ seed, say }: FaultOptions, cases: number): Promise<void> {
  await using pane = await TmuxPane.open(WatchedTerminal.size);
  await using unfiltered = await TmuxPane.open(WatchedTerminal.size);
  let reacted = 0;
  for (const { bytes } of fc.sample(hostileStreams(), { numRuns: 20, seed }))
    if (!isBomb(bytes) && (await unfiltered.reaction(bytes)) !== '') reacted += 1;
  assert(reacted > 0, 'Unfiltered, no stream acted.');
  for (const stream of fc.sample(hostileStreams(), { numRuns: cases, seed })) {
    const { chunks, undo } = filtered(stream);
    assert.equal(await pane.reaction(Buffer.concat([...chunks, Buffer.from(undo)])), '', told(stream));
  }
  // Two panes with the same past: tmux restores a cursor that was saved long before.
  await using drawn = await TmuxPane.open(WatchedTerminal.size);
  await using plain = await TmuxPane.open(WatchedTerminal.size);
  const compared = cases / DRAWING_SHARE;
  // What tmux shows of such lines depends on how they were made.
  for (const stream of fc.sample(drawingStreams({ lines: false }), { numRuns: compared, seed })) {
    const { chunks } = filtered(stream);
    const pictures = await Promise.all([drawn.picture(Buffer.concat(chunks)), plain.picture(stream.bytes)]);
    assert.equal(pictures[0], pictures[1], told(stream));
  }
  say(`tmux: ${cases} streams, no title, no clipboard, no answer, modes reset; ${compared} drawn the same`);
}

function filtered({ chunks }: Stream): { chunks: Uint8Array[]; undo: string } {
  const drawing = new Drawing(WatchedTerminal.size);
  return { chunks: chunks.map((chunk) => drawing.of(chunk)), undo: drawing.undo() };
}

async function inBlocks(
  streams: fc.Arbitrary<Stream>,
  cases: number,
  seed: number,
  examine: (stream: Stream) => Promise<void>,
): Promise<void> {
  for (let done = 0; done < cases; done += AT_ONCE) {
    const numRuns = Math.min(AT_ONCE, cases - done);
    await Promise.all(fc.sample(streams, { numRuns, seed: seed + done }).map(examine));
  }
}

/** Unfiltered, it would keep the emulator busy for minutes. */
const isBomb = (bytes: Buffer): boolean => /(\d[^\da-z;]*){5}/i.test(bytes.toString('latin1'));

const told = ({ chunks }: Stream): string =>
  `Written: ${JSON.stringify(chunks.map((chunk) => chunk.toString('latin1')))}`;
