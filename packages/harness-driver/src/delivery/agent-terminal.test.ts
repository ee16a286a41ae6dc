import { afterEach, expect, it, vi } from 'vitest';
import type { Reading } from '../clis/reading.ts';
import { Screen } from '../screen/screen.ts';
import { SharedKeyboard } from '../terminal/shared-keyboard.ts';
import { AgentTerminal } from './agent-terminal.ts';

afterEach(() => {
  vi.useRealTimers();
});

const EMPTY: Reading = { state: 'composer', draft: '', busy: false };

function open(first: Reading) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let reading = first;
  const looks: unknown[] = [];
  const reader = { read: () => reading, isPasted: () => false };
  const keyboard = new SharedKeyboard(() => undefined);
  const screen = new Screen({ columns: 40, rows: 5 });
  const terminal = new AgentTerminal(screen, reader, keyboard, () => looks.push(terminal.gate()));
  return {
    terminal,
    looks,
    shows(next: Reading) {
      reading = next;
    },
  };
}

it('waits a moment after a first question: the CLI may start again', () => {
  const { terminal, looks, shows } = open({ state: 'starting', question: 'trust question' });
  expect(terminal.gate()).toEqual({ wait: { code: 'starting', detail: 'trust question' } });
  shows(EMPTY);
  expect(terminal.gate()).toEqual({ wait: { code: 'starting' } });
  vi.advanceTimersByTime(3000);
  expect(looks).toEqual(['open']);
});

it('is open at once for a CLI that asked nothing', () => {
  const { terminal, shows } = open({ state: 'starting' });
  terminal.gate();
  shows(EMPTY);
  expect(terminal.gate()).toBe('open');
});

it('waits until a key just pressed must be on the screen', () => {
  const { terminal, looks } = open(EMPTY);
  terminal.typed();
  expect(terminal.gate()).toEqual({ wait: { code: 'draft' } });
  vi.advanceTimersByTime(500);
  expect(looks).toEqual(['open']);
});
