import { describe, expect, it } from 'vitest';
import { claudeScreen } from '../clis/claude/screen.ts';
import type { Reading } from '../clis/reading.ts';
import { inject } from './inject.ts';

const TEXT = 'Relay message from Alice [msg_1]: from a peer agent\n| Is the build green?';
const PASTED = `\x1b[200~${TEXT}\x1b[201~`;
const composer = (draft: string, busy = false): Reading => ({ state: 'composer', draft, busy });

/** A CLI whose screen is what `answer` makes of everything that was typed. */
function cli(answer: (typed: string[]) => Reading) {
  const typed: string[] = [];
  const target = {
    pastes: true,
    reading: () => answer(typed),
    write: (text: string) => void typed.push(text),
    changed: (withinMs: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(withinMs, 5))),
  };
  return { typed, injected: () => inject(TEXT, target, claudeScreen) };
}

describe.concurrent('typing a message', () => {
  it('pastes it as one unit, and submits it apart from that', async () => {
    const { typed, injected } = cli((keys) =>
      keys.length === 1 ? composer(TEXT) : composer('', keys.length > 1),
    );
    expect(await injected()).toBe('turned');
    expect(typed).toEqual([PASTED, '\r']);
  });

  it.each<[string, Reading]>([
    ['a draft', composer('please')],
    ['a turn', composer('', true)],
    ['a dialog', { state: 'dialog' }],
    ['an unknown screen', { state: 'unknown' }],
  ])('types nothing at %s', async (_what, reading) => {
    const { typed, injected } = cli(() => reading);
    expect(await injected()).toBe('not typed');
    expect(typed).toEqual([]);
  });

  it('presses Enter again if the text stays, and not once more', async () => {
    const { typed, injected } = cli((keys) => composer(keys.length === 0 || keys.length > 2 ? '' : TEXT));
    expect(await injected()).toBe('submitted');
    expect(typed).toEqual([PASTED, '\r', '\r']);
  });

  it('knows that a text was taken which went in the moment before the next Enter', async () => {
    const typed: string[] = [];
    let looks = 0;
    const target = {
      pastes: true,
      reading: () =>
        typed.length === 1 || (typed.length === 2 && looks++ < 2) ? composer(TEXT) : composer(''),
      write: (text: string) => void typed.push(text),
      changed: (withinMs: number) => new Promise<void>((resolve) => setTimeout(resolve, withinMs + 5)),
    };
    expect(await inject(TEXT, target, claudeScreen)).toBe('submitted');
    expect(typed).toEqual([PASTED, '\r']);
  });

  it('presses no Enter if a dialog is there after the text', async () => {
    const { typed, injected } = cli((keys) => (keys.length === 0 ? composer('') : { state: 'dialog' }));
    expect(await injected()).toBe('unclear');
    expect(typed).toEqual([PASTED]);
  });

  it('presses no Enter if the dialog opens in the moment before it', async () => {
    let looks = 0;
    const { typed, injected } = cli((keys) => {
      if (keys.length === 0) return composer('');
      return looks++ === 0 ? composer(TEXT) : { state: 'dialog' };
    });
    expect(await injected()).toBe('unclear');
    expect(typed).toEqual([PASTED]);
  });

  it('presses no Enter on a text that is not the one it pasted', async () => {
    const { typed, injected } = cli((keys) => composer(keys.length === 0 ? '' : 'something else'));
    expect(await injected()).toBe('unclear');
    expect(typed).toEqual([PASTED]);
  });
});
