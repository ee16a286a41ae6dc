import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Hold } from '../delivery/hold.ts';
import type { HookReport } from './hook-report.ts';
import { HookTurns } from './hook-turns.ts';

let started = 0;
const report = (event: string, more: Partial<HookReport> = {}): HookReport => ({
  event,
  startedAt: ++started,
  waits: false,
  asks: false,
  isSubagent: false,
  messages: [],
  ...more,
});
const prompt = (promptId: string) => report('UserPromptSubmit', { promptId });
const stop = (promptId: string) => report('Stop', { promptId });
const failure = (error: string) => report('StopFailure', { promptId: 'p', error });

let turns: HookTurns;
let hold: Hold;
let changes: number;
beforeEach(() => {
  vi.useFakeTimers();
  changes = 0;
  hold = new Hold(() => {
    changes += 1;
  });
  turns = new HookTurns(
    (error) => (error === 'rate_limit' ? { code: 'usage_limit' } : { code: 'signed_out' }),
    hold,
  );
});
afterEach(() => {
  hold.close();
  vi.useRealTimers();
});

describe('a turn', () => {
  it('lasts from its prompt to its end', () => {
    turns.note(prompt('p1'));
    expect(turns.isInTurn).toBe(true);
    turns.note(stop('p1'));
    expect(turns.isInTurn).toBe(false);
  });

  it('is over when its end is told before its beginning', () => {
    const [first, end] = [prompt('p1'), stop('p1')];
    turns.note(end);
    turns.note(first);
    expect(turns.isInTurn).toBe(false);
    // What the person queued during a turn belongs to the same one.
    turns.note(prompt('p1'));
    expect(turns.isInTurn).toBe(true);
  });

  it('is not over when the end of an earlier one is told late', () => {
    const [start, first] = [report('SessionStart'), prompt('p1')];
    turns.note(first);
    turns.note(start);
    expect(turns.isInTurn).toBe(true);
  });

  it('is not over when that of a subagent is', () => {
    turns.note(prompt('p1'));
    turns.note({ ...stop('p1'), isSubagent: true });
    expect(turns.isInTurn).toBe(true);
  });

  it('asks the person until something else happens', () => {
    turns.note(prompt('p1'));
    turns.note(report('PermissionRequest'));
    expect(turns.asks).toBe(true);
    turns.note(stop('p1'));
    expect(turns.asks).toBe(false);
  });
});

describe('a turn that failed', () => {
  it('at a limit holds messages for a while, and longer the next time', () => {
    for (const minutes of [1, 2, 4, 8, 16, 16]) {
      turns.note(failure('rate_limit'));
      expect(turns.isInTurn).toBe(false);
      expect(hold.reason).toEqual({ code: 'usage_limit', until: Date.now() + minutes * 60_000 });
      vi.advanceTimersByTime(minutes * 60_000 - 1);
      expect(hold.reason).toBeDefined();
      changes = 0;
      vi.advanceTimersByTime(1);
      expect(hold.reason).toBeUndefined();
      expect(changes).toBe(1);
    }
  });

  it.each(['Stop', 'SessionStart'])('holds no message any more after %s', (event) => {
    turns.note(failure('rate_limit'));
    turns.note(failure('rate_limit'));
    turns.note(report(event));
    expect(hold.reason).toBeUndefined();
    turns.note(failure('rate_limit'));
    expect(hold.reason?.until).toBe(Date.now() + 60_000);
  });

  it('for another reason holds messages until somebody has done something about it', () => {
    turns.note(failure('authentication_failed'));
    vi.advanceTimersByTime(86_400_000);
    expect(hold.reason).toEqual({ code: 'signed_out' });
    turns.note(stop('p2'));
    expect(hold.reason).toBeUndefined();
  });
});
