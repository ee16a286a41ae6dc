import xterm from '@xterm/headless';
import { expect, it } from 'vitest';
import { OutputQueue } from './output-queue.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function openTerminal() {
  const terminal = new xterm.Terminal({ cols: 40, rows: 5, scrollback: 100, allowProposedApi: true });
  const queue = new OutputQueue((output, done) => terminal.write(output, done));
  const shown = () => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, row) =>
      active.getLine(row)?.translateToString(true),
    );
    return lines.join('\n').trim();
  };
  return {
    terminal,
    queue,
    shown,
    restart: (text: string) => queue.restart(() => terminal.reset(), bytes(text)),
  };
}

it('draws everything, in order', async () => {
  const { queue, shown } = openTerminal();
  for (const word of ['one ', 'two ', 'three']) queue.add(bytes(word));
  await queue.drained();
  expect(shown()).toBe('one two three');
  expect(queue.backlog).toBe(0);
});

it('shows only the new screen after a restart, with older output still queued', async () => {
  const { queue, shown, restart } = openTerminal();
  queue.add(bytes('first screen'));
  queue.add(bytes(' and more'));
  restart('second screen');
  await queue.drained();
  expect(shown()).toBe('second screen');
  restart('third screen');
  restart('fourth screen');
  queue.add(bytes('!'));
  await queue.drained();
  expect(shown()).toBe('fourth screen!');
  expect(queue.backlog).toBe(0);
});

it('drops what waits, instead of drawing it first', () => {
  const drawn: number[] = [];
  const queue = new OutputQueue((output) => void drawn.push(output.length));
  for (let count = 0; count < 10; count++) queue.add(new Uint8Array(100_000));
  expect(queue.backlog).toBe(1_000_000);
  queue.restart(() => undefined, bytes('screen'));
  expect(drawn).toEqual([65_536]);
  // What is being drawn, and what ends a sequence of it.
  expect(queue.backlog).toBe(65_536 + 1 + 6);
});

it('is not confused by a sequence that was cut off', async () => {
  const { queue, shown, restart } = openTerminal();
  for (const cut of ['\x1b]0;a title', '\x1b[31', '\x1bPq data']) {
    queue.add(bytes(cut));
    await queue.drained();
    restart('after it');
    await queue.drained();
    expect(shown()).toBe('after it');
  }
});
