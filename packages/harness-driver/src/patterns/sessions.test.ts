import { describe, expect, it } from 'vitest';
import { readSessionFile } from '../../../../test/kit/session-files.ts';
import type { RecordedOutput } from '../../../../test/kit/terminal.ts';
import type { CliAdapter } from '../clis/adapter.ts';
import { adapterOf } from '../clis/clis.ts';
import { Screen } from '../screen/screen.ts';
import type { ScreenView } from '../screen/view.ts';
import { AnswerWatch } from './answer-watch.ts';
import type { Command } from './command.ts';

const SESSIONS = new URL('../../../../test/agents/sessions/', import.meta.url);
const LOOK_MS = 60;
const LONG = 'This message is so long that it has to be wrapped in every terminal, whatever its width is, ';

const bob = (body: string): Command => ({ kind: 'send', to: 'Bob', body });
const call = (server: string, tool: string, args: string): Command => ({ kind: 'call', server, tool, args });
const several = (gap: string, point: string) =>
  `First line of several.\n\nA second paragraph, which is long enough to be broken into several rows of the screen of this terminal.\n${gap}${point}a point\n${point}another point`;

/** What the models say in these sessions, and nothing else: see test/agents/session-turns.ts. */
const commandsIn = ({ hasCode, gap, point }: (typeof STYLES)[keyof typeof STYLES]): Command[] => [
  bob('Hello Bob, the tests pass.'),
  { kind: 'send', to: '#general', body: 'Build complete' },
  ...(hasCode ? [{ kind: 'send', to: 'Carl', body: 'from a block of code' } as const] : []),
  { kind: 'spawn', name: 'Worker', cli: 'claude', task: 'Fix the login test and report back' },
  bob(`${LONG.repeat(3)}end.`),
  { kind: 'release', name: 'Worker' },
  bob(several(gap, point)),
  { kind: 'discover', capability: 'code_review' },
  call('postgres', 'query', 'SELECT COUNT(*) FROM users'),
  call('Backend', 'test_api', 'POST /api/auth/login {"user": "test"}'),
  call('server', 'tool', '{"json": "args"}'),
  call('server', 'status', ''),
  bob('Hello Bob, the tests pass.'),
  bob('Hello Bob, the tests pass.'),
  bob('before a long answer'),
  bob('within a long answer'),
  bob('after a long answer'),
];

/** How each of them draws a list, and whether a block of code has numbers before its lines. */
const STYLES = {
  claude: { hasCode: true, gap: '', point: '- ' },
  codex: { hasCode: true, gap: '\n', point: '• ' },
  gemini: { hasCode: false, gap: '', point: ' - ' },
  opencode: { hasCode: true, gap: '\n', point: '- ' },
};

/** Looks at the screen as often as the host does, in the time of the recording. */
class Replay {
  readonly commands: Command[] = [];
  readonly #watch: AnswerWatch;
  readonly #isSeen: (view: ScreenView) => boolean;
  #screen: Screen | undefined;
  #now = 0;

  /** `isBlind`: as if each turn were over before it is seen. */
  constructor({ screen, conversation }: CliAdapter, isBlind: boolean) {
    if (!screen || !conversation) throw new Error('its screen is not known');
    this.#isSeen = (view) => {
      const reading = screen.read(view);
      return !isBlind || (reading.state === 'composer' && !reading.busy);
    };
    this.#watch = new AnswerWatch(screen, conversation);
  }

  async until(time: number): Promise<void> {
    for (; this.#screen && this.#now + LOOK_MS <= time; this.#now += LOOK_MS) {
      await this.#screen.settled();
      const view = this.#screen.view();
      if (view && this.#isSeen(view)) this.commands.push(...this.#watch.look(view, this.#now));
    }
  }

  async take(event: RecordedOutput['event'], pieces: number): Promise<void> {
    if (!Buffer.isBuffer(event)) {
      if (this.#screen) this.#screen.resize(event.columns, event.rows);
      else this.#screen = new Screen(event);
      return;
    }
    const size = Math.ceil(event.length / pieces);
    for (let at = 0; at < event.length; at += size) this.#screen?.feed(event.subarray(at, at + size));
  }
}

async function replay(
  cli: string,
  name: string,
  { pieces = 1, again = 0, isBlind = false } = {},
): Promise<Command[]> {
  const recording = readSessionFile(new URL(`${cli}-${name}.jsonl.gz`, SESSIONS));
  const session = new Replay(adapterOf(cli), isBlind);
  const last = recording.at(-1)?.at ?? 0;
  for (const { at, event } of recording) {
    await session.until(at);
    await session.take(event, pieces);
  }
  await session.until(last + 5000);
  // Drawn again, as after a change of the size.
  for (let time = 0; time < again; time++) {
    for (const { event } of recording.filter(({ at }) => at > last / 2)) await session.take(event, 1);
    await session.until(last + 10_000 + time * 5000);
  }
  return session.commands;
}

describe.each(Object.entries(STYLES))('recorded sessions of %s', (cli, style) => {
  const expected = commandsIn(style);

  it.each(['usual', 'narrow', 'wide'])('have each command once: %s', { timeout: 60_000 }, async (name) => {
    expect(await replay(cli, name)).toEqual(expected);
  });

  it('have them also if their output comes in small pieces', { timeout: 60_000 }, async () => {
    expect(await replay(cli, 'usual', { pieces: 50 })).toEqual(expected);
  });

  it('have those of short turns that are over before they are seen', { timeout: 60_000 }, async () => {
    const found = await replay(cli, 'usual', { isBlind: true });
    expect(found.slice(-2)).toEqual(Array(2).fill(bob('Hello Bob, the tests pass.')));
  });

  it('have no more of them if they are drawn again', { timeout: 60_000 }, async () => {
    expect(await replay(cli, 'usual', { again: 2 })).toEqual(expected);
  });
});
