import { type MarkedProcess, processMark } from '@agent-relay/platform/processes';
import type { Relay } from '@agent-relay/sdk/node';
import type { Channel, ChannelIngress, ScreenReader } from '../clis/adapter.ts';
import type { Resumption } from '../clis/resumption.ts';
import { AgentTerminal } from '../delivery/agent-terminal.ts';
import type { Attention } from '../delivery/attention.ts';
import { Deliverer } from '../delivery/deliverer.ts';
import { CommandRunner } from '../patterns/command-runner.ts';
import { type AnswerReaders, Patterns } from '../patterns/patterns.ts';
import { Child, type ChildEnd, type ChildOptions } from '../pty/child.ts';
import { Screen } from '../screen/screen.ts';
import { SharedKeyboard } from '../terminal/shared-keyboard.ts';
import { isTyping } from '../terminal/typing.ts';
import { endProgram } from './end-program.ts';
import { PromptLink } from './prompt-link.ts';
import { RemoteViewers } from './remote-viewers.ts';
import { RunLink } from './run-link.ts';

/** Somebody who sees what the program writes. */
export interface Viewer {
  write(output: Buffer): void;
}

/** What the daemon is told of the run, beside its processes. */
export interface RunDescription {
  id: string;
  cli: string;
  /** What the person gave the CLI. */
  args: string[];
  version: string | undefined;
  /** The CLI's own conversation, if it is known from the start. */
  session: string | undefined;
}

export interface HostOptions {
  relay: Relay;
  run: RunDescription;
  program: ChildOptions;
  /** How the CLI's screen reads; without it nothing is typed. */
  reader: ScreenReader | undefined;
  /** A way into the CLI beside its terminal, and better. */
  channel?: Channel | undefined;
  attention?: Attention | undefined;
  resumption?: Resumption | undefined;
  /** How commands in the text of the agent are found; absent if they do not count. */
  patterns?: PatternOptions | undefined;
}

export interface PatternOptions {
  readers: AnswerReaders | undefined;
  /** What agents inherit that it starts. */
  env: Record<string, string> | undefined;
}

/**
 * A CLI in a terminal of its own: the child, the emulator that knows its screen, the keyboard that viewers and the relay
 * share, and the delivery of the agent's messages. It runs with any number of viewers, also without one.
 */
export class AgentHost {
  /** Resolves when the program has ended and all it wrote is on the screen and with the viewers. */
  readonly ended: Promise<ChildEnd>;
  readonly #child: Child;
  readonly #screen: Screen;
  readonly #keyboard: SharedKeyboard;
  readonly #terminal: AgentTerminal;
  readonly #channel: ChannelIngress | undefined;
  readonly #deliverer: Deliverer;
  readonly #runner: CommandRunner | undefined;
  readonly #patterns: Patterns | undefined;
  readonly #process: MarkedProcess;
  readonly #link: RunLink;
  readonly #stopWatching: () => void;
  readonly #viewers = new Set<Viewer>();
  readonly #remote: RemoteViewers;
  #snapshot: Promise<unknown> = Promise.resolve();
  #isSuspended = false;
  /** A viewer wants no message to be delivered. */
  #isHeld = false;
  #end: ChildEnd | undefined;
  #ending: Promise<void> | undefined;
  #failure: unknown;
  /** A viewer elsewhere that types wants the terminal to have this size. */
  onSizeWanted: (columns: number, rows: number) => void = () => undefined;
  /** The CLI has left the terminal to the shell it was started from. */
  onSuspended: () => void = () => undefined;

  constructor({ relay, run, program, reader, channel, attention, resumption, patterns }: HostOptions) {
    const { columns, rows } = program;
    const runner = patterns && new CommandRunner(relay, { run: run.id, env: patterns.env });
    this.#runner = runner;
    this.#patterns = runner && new Patterns(patterns.readers, (command) => runner.run(command));
    this.#screen = new Screen({
      columns,
      rows,
      onChange: () => this.#screenChanged(),
      onLine: this.#patterns?.takesLines ? (line) => this.#patterns?.line(line) : undefined,
    });
    this.#child = new Child(program, (output) => {
      for (const viewer of this.#viewers) viewer.write(output);
      this.#screen.feed(output);
    });
    const { pid } = this.#child;
    this.#process = { pid, mark: processMark(pid) ?? 'ended' };
    this.#link = new RunLink(relay, factsOf(run, program.cwd, this.#process));
    this.#link.onEnd = () => void this.end();
    const onSession = (id: string) => this.#link.session(id);
    if (run.session !== undefined) onSession(run.session);
    this.#stopWatching = resumption?.watch?.({ pid, env: program.env }, onSession) ?? (() => undefined);
    this.#keyboard = new SharedKeyboard((bytes) => this.#child.write(bytes));
    let prompts: PromptLink | undefined;
    const look = () => {
      // First, so that who hears of a dialog finds what it asks.
      prompts?.look();
      this.#deliverer.look();
    };
    this.#terminal = new AgentTerminal(this.#screen, reader, this.#keyboard, look);
    const terminal = this.#terminal;
    terminal.onTyping = (text) => this.#patterns?.typed(text);
    this.#channel = channel?.open({
      reading: () => terminal.reading(),
      turnStarts: (withinMs) => terminal.turnStarts(withinMs),
      attention,
      onChange: look,
      onSession,
    });
    const { prompt, answer } = this.#channel ?? {};
    if (prompt && answer)
      prompts = new PromptLink(relay, run.id, {
        prompt: prompt.bind(this.#channel),
        answer: answer.bind(this.#channel),
      });
    this.#link.onTold = () => prompts?.tellAgain();
    this.#deliverer = new Deliverer(relay, {
      ingresses: [...(this.#channel ? [this.#channel] : []), terminal],
      hold: () => (this.#isHeld ? { code: 'held_by_viewer' } : this.#channel?.hold()),
      onFailure: (error) => {
        this.#failure = error;
      },
    });
    this.#remote = new RemoteViewers(relay, run.id, {
      snapshot: () => this.#takeSnapshot(),
      press: (keys) => this.press(keys),
      resize: (wantedColumns, wantedRows) => this.onSizeWanted(wantedColumns, wantedRows),
      hold: (isHeld) => {
        this.#isHeld = isHeld;
        look();
      },
    });
    this.#viewers.add(this.#remote);
    this.ended = this.#child.ended.then(async (end) => {
      this.#end = end;
      await this.#screen.settled();
      this.#screen.endLines();
      return end;
    });
    this.#deliverer.look();
  }

  /** Shows the program's output from now on, until the function it returns is called. */
  addViewer(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    return () => void this.#viewers.delete(viewer);
  }

  /** Keys of a person. */
  press(keys: Buffer): void {
    this.#keyboard.press(keys);
    if (isTyping(keys)) this.#terminal.typed();
  }

  resize(columns: number, rows: number): void {
    const { size } = this.#screen;
    this.#child.resize(columns, rows);
    this.#screen.resize(columns, rows);
    if (size.columns !== columns || size.rows !== rows) this.#remote.resized();
  }

  /** Signals the program and everything in its process group. */
  signal(name: NodeJS.Signals): void {
    this.#child.signal(name);
  }

  /** Ends the program and what it started, gently at first. */
  end(): Promise<void> {
    this.#ending ??= endProgram(this.#process, this.#child.ended);
    return this.#ending;
  }

  /** Ends it because this process is to end: the agent did not end by itself, and may be resumed. */
  stop(signal: NodeJS.Signals): void {
    this.#link.stopped(signal);
    void this.end();
  }

  /** What puts a viewer's terminal back that the program left in modes of its own. */
  undoModes(): string {
    return this.#screen.undoModes();
  }

  /** After the end: stops delivering. Resolves with why messages were no longer delivered, if that happened before. */
  async close(): Promise<unknown> {
    this.#stopWatching();
    this.#terminal.close();
    this.#remote.close();
    this.#patterns?.close();
    await this.#runner?.end();
    await this.#deliverer.end();
    this.#channel?.close();
    if (this.#end) await this.#link.ended(this.#end);
    this.#screen.dispose();
    return this.#failure;
  }

  /** The program is not read meanwhile: one that writes without a pause would never be all on the screen. */
  #takeSnapshot(): Promise<{ content: string; columns: number; rows: number }> {
    const taken = this.#snapshot.then(async () => {
      this.#child.pause();
      await this.#screen.settled();
      const content = this.#screen.snapshot();
      this.#child.resume();
      return { content, ...this.#screen.size };
    });
    this.#snapshot = taken;
    return taken;
  }

  #screenChanged(): void {
    this.#terminal.screenChanged();
    this.#patterns?.changed(this.#screen);
    this.#deliverer.look();
    const { state } = this.#terminal.reading();
    // A screen that is half drawn says nothing about it.
    if (state === 'unknown') return;
    const isNew = state === 'suspended' && !this.#isSuspended;
    // Before others are told: they change the screen as well.
    this.#isSuspended = state === 'suspended';
    if (isNew) this.onSuspended();
  }
}

const factsOf = ({ id, cli, args, version }: RunDescription, cwd: string, program: MarkedProcess) => ({
  run: id,
  cli,
  args,
  cwd,
  host: { pid: process.pid, mark: processMark(process.pid) ?? 'unknown' },
  program,
  ...(version === undefined ? {} : { version }),
  startedAt: Date.now(),
});
