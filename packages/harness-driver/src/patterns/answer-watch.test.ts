import { describe, expect, it } from 'vitest';
import type { Reading } from '../clis/reading.ts';
import type { ScreenView } from '../screen/view.ts';
import { AnswerWatch } from './answer-watch.ts';

const view: ScreenView = {
  columns: 80,
  rows: 24,
  lines: [],
  cursor: { row: 0, column: 0, visible: true },
  alternate: true,
  bracketedPaste: true,
};

/** A CLI whose screen shows these lines; `>` is the person. */
class ShownCli {
  reading: Reading = { state: 'composer', draft: '', busy: false };
  shown: string[] = [];
  #now = 0;
  readonly #watch = new AnswerWatch({ read: () => this.reading, isPasted: () => false }, () => ({
    width: 80,
    rows: this.shown.map((text) =>
      text.startsWith('> ') ? { speaker: 'person', text: text.slice(2) } : { speaker: 'agent', text },
    ),
  }));

  /** The bodies of what is found while the screen is looked at for some time. */
  find(ms: number, busy: boolean): string[] {
    this.reading = { state: 'composer', draft: '', busy };
    const end = this.#now + ms;
    const found = [];
    for (; this.#now < end; this.#now += 50) found.push(...this.#watch.look(view, this.#now));
    return found.map((command) => ('body' in command ? command.body : command.kind));
  }
}

const HISTORY = ['> before', '->relay:Bob old'];

describe('commands in answers', () => {
  it('count while the agent works, and when it has ended', () => {
    const cli = new ShownCli();
    cli.find(500, false);
    cli.shown = ['> go', '->relay:Bob one', '->relay:Bob tw'];
    expect(cli.find(500, true)).toEqual(['one']);
    cli.shown = ['> go', '->relay:Bob one', '->relay:Bob two'];
    expect(cli.find(500, true)).toEqual([]);
    expect(cli.find(1000, false)).toEqual(['two']);
    expect(cli.find(5000, false)).toEqual([]);
  });

  it('count in a turn that nobody saw', () => {
    const cli = new ShownCli();
    cli.shown = ['> one', 'done'];
    cli.find(5000, false);
    cli.shown = ['> one', 'done', '> two', '->relay:Bob hi'];
    expect(cli.find(3000, false)).toEqual(['hi']);
  });

  it('count in a turn that nobody saw, also if the end of the one before was half drawn', () => {
    const cli = new ShownCli();
    cli.shown = ['> one', 'done'];
    cli.find(5000, false);
    cli.shown = ['> one', 'done', '> two', 'fine'];
    cli.find(1800, false);
    cli.shown = ['> one', 'done', '> two', 'finefine'];
    cli.find(200, false);
    cli.shown = ['> one', 'done', '> two', 'fine', '> three', '->relay:Bob hi'];
    expect(cli.find(3000, false)).toEqual(['hi']);
  });

  it('do not count in a conversation that is continued, or shown again', () => {
    const cli = new ShownCli();
    cli.shown = HISTORY;
    expect(cli.find(5000, false)).toEqual([]);
    cli.shown = [...HISTORY, '> go', '->relay:Bob new'];
    expect(cli.find(500, true)).toEqual([]);
    expect(cli.find(3000, false)).toEqual(['new']);
    cli.shown = ['> other', '->relay:Bob of another conversation'];
    expect(cli.find(5000, false)).toEqual([]);
    const begun = new ShownCli();
    begun.shown = [...HISTORY, '> go', '->relay:Bob new'];
    expect([...begun.find(500, true), ...begun.find(1000, false)]).toEqual(['new']);
  });

  it('are complete when a tool has been working for a while', () => {
    const cli = new ShownCli();
    cli.find(500, false);
    cli.shown = ['> go', '->relay:Bob I run the tests'];
    expect(cli.find(9000, true)).toEqual([]);
    expect(cli.find(3000, true)).toEqual(['I run the tests']);
    cli.shown = ['> go', '->relay:Bob I run the tests and more'];
    expect(cli.find(1000, false)).toEqual([]);
  });

  it('that have no end are told of when the turn is over', () => {
    const cli = new ShownCli();
    cli.find(500, false);
    cli.shown = ['> go', '->relay:Bob <<<', 'text'];
    expect(cli.find(500, true)).toEqual([]);
    expect(cli.find(1000, false)).toEqual(['mistake']);
  });
});
