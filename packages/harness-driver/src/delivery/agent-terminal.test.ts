import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Reading } from '../clis/reading.ts';
import { Screen } from '../screen/screen.ts';
import { SharedKeyboard } from '../terminal/shared-keyboard.ts';
import { AgentTerminal } from './agent-terminal.ts';

afterEach(() => {
  vi.useRealTimers();
});

const EMPTY: Reading = { state: 'composer', draft: '', busy: false };

function open(first: Reading, screen = new Screen({ columns: 40, rows: 5 })) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let reading = first;
  const looks: unknown[] = [];
  const typed: unknown[] = [];
  const reader = { read: () => reading, isPasted: (draft: string) => draft !== '' };
  const keyboard = new SharedKeyboard((keys) => {
    typed.push(keys);
    // It draws what is typed, until Enter.
    reading = { state: 'composer', draft: keys === '\r' ? '' : String(keys), busy: false };
  });
  const terminal = new AgentTerminal(screen, reader, keyboard, () => looks.push(terminal.gate()));
  return {
    terminal,
    looks,
    typed,
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

it('does not report a screen that is recognised again in a moment', () => {
  const { terminal, looks, shows } = open({ ...EMPTY, busy: true });
  const passing = { wait: { code: 'unknown_screen' }, isPassing: true };
  const frame = () => {
    shows({ state: 'unknown' });
    expect(terminal.gate()).toEqual(passing);
    vi.advanceTimersByTime(400);
    shows({ ...EMPTY, busy: true });
    expect(terminal.gate()).toEqual({ wait: { code: 'busy' } });
  };
  frame();
  frame();
  shows({ state: 'unknown' });
  expect(terminal.gate()).toEqual(passing);
  vi.advanceTimersByTime(500);
  expect(looks.at(-1)).toEqual({ wait: { code: 'unknown_screen' } });
});

it('waits a moment after a key, also if the timer for that fires early', () => {
  const { terminal, looks } = open(EMPTY);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000.9);
  terminal.typed();
  clock.mockReturnValue(1500.5);
  vi.advanceTimersByTime(500);
  expect(looks).toEqual([{ wait: { code: 'draft' } }]);
  clock.mockReturnValue(1501.5);
  vi.advanceTimersByTime(1);
  clock.mockRestore();
  expect(looks).toEqual([{ wait: { code: 'draft' } }, 'open']);
});

it('is neither open nor waiting while a message is typed', async () => {
  const screen = new Screen({ columns: 40, rows: 5 });
  screen.feed(Buffer.from('\x1b[?2004h'));
  await screen.settled();
  const { terminal, typed } = open(EMPTY, screen);
  const delivered = terminal.deliver({ text: 'Relay message\n| one' });
  expect(terminal.gate()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await delivered).toBe('injected');
  expect(typed).toEqual(['\x1b[200~Relay message\n| one\x1b[201~', '\r']);
  expect(terminal.gate()).toBe('open');
});

it('announces a message in one line of its own where a program takes no pastes', async () => {
  const { terminal, typed } = open(EMPTY);
  const delivered = terminal.deliver({ text: 'Relay message\n| one' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await delivered).toBe('announced');
  expect(typed).toEqual([expect.stringMatching(/^You have a Relay message\. [ -~]+$/), '\r']);
});

it('waits a minute after a turn failed at a limit, then longer, until one succeeds', () => {
  vi.setSystemTime(0);
  const failed: Reading = { ...EMPTY, failure: 'usage_limit' };
  const { terminal, looks, shows } = open(failed);
  const waits = { wait: expect.objectContaining({ code: 'usage_limit' }) };
  expect(terminal.gate()).toEqual(waits);
  vi.advanceTimersByTime(60_000);
  // The same failure is still on the screen.
  expect(looks).toEqual(['open']);
  shows({ ...EMPTY, busy: true });
  terminal.gate();
  shows(failed);
  expect(terminal.gate()).toEqual(waits);
  vi.advanceTimersByTime(60_000);
  expect(terminal.gate()).toEqual(waits);
  vi.advanceTimersByTime(60_000);
  expect(looks).toEqual(['open', 'open']);
  shows(EMPTY);
  expect(terminal.gate()).toBe('open');
});

it('waits until a turn succeeds if the CLI is signed out', () => {
  const { terminal, shows } = open({ ...EMPTY, failure: 'signed_out' });
  expect(terminal.gate()).toEqual({ wait: { code: 'signed_out' } });
  vi.advanceTimersByTime(3_600_000);
  expect(terminal.gate()).toEqual({ wait: { code: 'signed_out' } });
  shows(EMPTY);
  expect(terminal.gate()).toBe('open');
});

it('waits some seconds after the person interrupted a turn', () => {
  vi.setSystemTime(0);
  const { terminal, looks } = open({ state: 'composer', draft: '', busy: false, failure: 'interrupted' });
  expect(terminal.gate()).toEqual({ wait: { code: 'interrupted' } });
  vi.advanceTimersByTime(10_000);
  // It still says so on the screen.
  expect(looks).toEqual(['open']);
});

describe('a turn', () => {
  const busy: Reading = { ...EMPTY, busy: true };
  /** Resolves with what was observed, after the screen has shown these, 50 ms each. */
  async function observed(readings: Reading[], isStill = () => true): Promise<boolean> {
    const { terminal, shows } = open(EMPTY);
    const isTurn = terminal.turnStarts(15_000, isStill);
    for (const reading of readings) {
      shows(reading);
      terminal.screenChanged();
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(15_000);
    return isTurn;
  }

  it.each<[string, Reading[], boolean]>([
    ['has not started on an idle screen', [EMPTY], false],
    ['has started when the CLI works for a while', [busy], true],
    ['has started when the CLI has worked and nothing failed', [busy, EMPTY], true],
    ['has started when the CLI asks for permission', [{ state: 'dialog' }], true],
    ['has not started if the CLI was signed out', [busy, { ...EMPTY, failure: 'signed_out' }], false],
    ['has started if a limit ended it', [busy, { ...EMPTY, failure: 'usage_limit' }], true],
  ])('%s', async (_what, readings, isTurn) => {
    expect(await observed(readings)).toBe(isTurn);
  });

  it('has not started if the next message was delivered before the CLI worked', async () => {
    expect(await observed([busy], () => false)).toBe(false);
  });

  it('has started although the next message was delivered since', async () => {
    let asked = 0;
    expect(await observed([busy, busy], () => ++asked === 1)).toBe(true);
  });
});

it('waits until a key just pressed must be on the screen', () => {
  const { terminal, looks } = open(EMPTY);
  terminal.typed();
  expect(terminal.gate()).toEqual({ wait: { code: 'draft' } });
  vi.advanceTimersByTime(500);
  expect(looks).toEqual(['open']);
});
