import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HookReport } from './hook-report.ts';
import { HookTurns } from './hook-turns.ts';

let started = 0;
const report = (event: string, more: Partial<HookReport> = {}): HookReport => ({
  event,
  startedAt: ++started,
  waits: false,
  isSubagent: false,
  messages: [],
  ...more,
});
const prompt = (promptId: string) => report('UserPromptSubmit', { promptId });
const stop = (promptId: string) => report('Stop', { promptId });
const failure = (error: string) => report('StopFailure', { promptId: 'p', error });

let turns: HookTurns;
let changes: number;
beforeEach(() => {
  vi.useFakeTimers();
  changes = 0;
  turns = new HookTurns(
    (error) => (error === 'rate_limit' ? { code: 'usage_limit' } : { code: 'signed_out' }),
    () => {
      changes += 1;
    },
  );
});
afterEach(() => {
  turns.close();
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
      expect(turns.failure).toEqual({ code: 'usage_limit', until: Date.now() + minutes * 60_000 });
      vi.advanceTimersByTime(minutes * 60_000 - 1);
      expect(turns.failure).toBeDefined();
      changes = 0;
      vi.advanceTimersByTime(1);
      expect(turns.failure).toBeUndefined();
      expect(changes).toBe(1);
    }
  });

  it.each(['Stop', 'SessionStart'])('holds no message any more after %s', (event) => {
    turns.note(failure('rate_limit'));
    turns.note(failure('rate_limit'));
    turns.note(report(event));
    expect(turns.failure).toBeUndefined();
    turns.note(failure('rate_limit'));
    expect(turns.failure?.until).toBe(Date.now() + 60_000);
  });

  it('for another reason holds messages until somebody has done something about it', () => {
    turns.note(failure('authentication_failed'));
    vi.advanceTimersByTime(86_400_000);
    expect(turns.failure).toEqual({ code: 'signed_out' });
    turns.note(stop('p2'));
    expect(turns.failure).toBeUndefined();
  });
});
