import { type MarkedProcess, processMark } from '@agent-relay/platform/processes';
import type { ReasonInput, RunChoices } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import type { Channel, ChannelIngress, ScreenReader } from '../clis/adapter.ts';
import type { Resumption } from '../clis/resumption.ts';
import { AgentTerminal } from '../delivery/agent-terminal.ts';
import type { AwaitedTools } from '../delivery/awaited-tools.ts';
import { Deliverer } from '../delivery/deliverer.ts';
import { SUSPENDED } from '../delivery/gate.ts';
import type { PathProof } from '../delivery/path-proof.ts';
import { CommandRunner } from '../patterns/command-runner.ts';
import { type AnswerReaders, Patterns } from '../patterns/patterns.ts';
import { Child, type ChildEnd, type ChildOptions } from '../pty/child.ts';
import { Screen } from '../screen/screen.ts';
import { SharedKeyboard } from '../terminal/shared-keyboard.ts';
import { isTyping } from '../terminal/typing.ts';
import { endCommandsAfter, endProgram } from './end-program.ts';
import { PromptLink } from './prompt-link.ts';
import { RemoteViewers } from './remote-viewers.ts';
import { RunLink } from './run-link.ts';

/** Someone who sees the program's output. */
export interface Viewer {
  write(output: Buffer): void;
}

/** What the daemon is told about the run, besides its processes. */
export interface RunDescription {
  id: string;
  cli: string;
  /** The person's arguments for the CLI. */
  args: string[];
  /** How the person started it. */
  choices?: RunChoices | undefined;
  version: string | undefined;
  /** The CLI's own conversation, if it is known from the start. */
  session: string | undefined;
  /** The person's terminal it runs in, if it does. */
  terminal?: string | undefined;
}

export interface HostOptions {
  relay: Relay;
  run: RunDescription;
  program: ChildOptions;
  /** Reads the CLI's screen; without it nothing is typed. */
  reader: ScreenReader | undefined;
  /** A better path into the CLI than its terminal. */
  channel?: Channel | undefined;
  /** Holds the first message until the CLI has the relay's tools. */
  tools?: AwaitedTools | undefined;
  resumption?: Resumption | undefined;
  proof?: PathProof | undefined;
  /** How commands in the agent's text are found; undefined if they are disabled. */
  patterns?: PatternOptions | undefined;
}

export interface PatternOptions {
  readers: AnswerReaders | undefined;
  /** What the agents it starts inherit. */
  env: Record<string, string> | undefined;
}

/** How long a program may take to end after the person's terminal closed. */
const HANGUP_MS = 5000;

/**
 * A CLI in a terminal of its own: the child, the emulator that knows its screen, the keyboard that viewers and the relay
 * share, and the delivery of the agent's messages. It runs with any number of viewers, even none.
 */
export class AgentHost {
  /** Resolves when the program has ended and all its output is on the screen and with the viewers. */
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
  /** A CLI that the relay knows. */
  readonly #isAgent: boolean;
  readonly #link: RunLink;
  readonly #stopWatching: () => void;
  readonly #viewers = new Set<Viewer>();
  readonly #remote: RemoteViewers;
  #snapshot: Promise<unknown> = Promise.resolve();
  #isSuspended = false;
  /** The program is stopped, and so may be this process. */
  #isStopped = false;
  /** A viewer holds delivery. */
  #isHeld = false;
  #end: ChildEnd | undefined;
  #isReleased = false;
  #ending: Promise<void> | undefined;
  #failure: unknown;
  /** A viewer types now instead of the person at the run's own terminal, or no longer. */
  onDriven: (isDriven: boolean) => void = () => undefined;
  /** The size requested by a remote viewer that types. */
  onSizeWanted: (columns: number, rows: number) => void = () => undefined;
  /** The CLI was suspended and gave the terminal back to the shell. */
  onSuspended: () => void = () => undefined;

  constructor({ relay, run, program, reader, channel, tools, resumption, proof, patterns }: HostOptions) {
    const { columns, rows } = program;
    this.#isAgent = reader !== undefined;
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
    this.#child.onStopped = () => this.#suspend();
    const { pid } = this.#child;
    this.#process = { pid, mark: processMark(pid) ?? 'ended' };
    this.#link = new RunLink(relay, factsOf(run, program.cwd, this.#process), () => this.#isHeld);
    this.#link.onEnd = () => {
      this.#isReleased = true;
      void this.end();
    };
    const onSession = (id: string) => this.#link.session(id);
    if (run.session !== undefined) onSession(run.session);
    this.#stopWatching = resumption?.watch?.({ pid, env: program.env }, onSession) ?? (() => undefined);
    this.#keyboard = new SharedKeyboard((bytes) => this.#child.write(bytes));
    let prompts: PromptLink | undefined;
    const look = () => {
      // First, so that the prompt is known when the dialog is reported.
      prompts?.look();
      this.#deliverer.look();
    };
    this.#terminal = new AgentTerminal(this.#screen, reader, this.#keyboard, look);
    const terminal = this.#terminal;
    terminal.onTyping = (text) => this.#patterns?.typed(text);
    const link = this.#link;
    link.onAttention = look;
    if (tools) tools.onChange = look;
    this.#channel = channel?.open({
      reading: () => terminal.reading(),
      typedWithin: (ms) => terminal.typedWithin(ms),
      turnStarts: (withinMs, isStill) => terminal.turnStarts(withinMs, isStill),
      get attention() {
        return link.attention;
      },
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
      proof,
      pause: () => this.#pause(),
      hold: () => this.#channel?.hold() ?? tools?.hold(terminal.reading()),
      onFailure: (error) => {
        this.#failure = error;
      },
    });
    this.#remote = new RemoteViewers(relay, run, {
      snapshot: () => this.#takeSnapshot(),
      press: (keys) => this.#press(keys),
      driven: (isDriven) => this.onDriven(isDriven),
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

  /** Shows the program's output until the returned function is called. */
  addViewer(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    return () => void this.#viewers.delete(viewer);
  }

  /** Keys of the person at the run's own terminal: typing takes the keyboard back from a viewer. */
  press(keys: Buffer): void {
    if (isTyping(keys)) this.#remote.reclaim();
    this.#press(keys);
  }

  /** What is on the screen, to draw over it. */
  get screen(): Screen {
    return this.#screen;
  }

  #press(keys: Buffer): void {
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
    // Other programs, such as shells, leave commands behind on purpose.
    if (name === 'SIGHUP' && this.#isAgent) void endCommandsAfter(this.#process, this.#child.ended);
    this.#child.signal(name);
  }

  /** Whether the relay was told to end the program. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Ends the program and everything it started, gently at first. */
  end(): Promise<void> {
    this.#ending ??= endProgram(this.#process, this.#child.ended);
    return this.#ending;
  }

  /** The person's terminal is gone: the program gets a hangup, and is ended if it goes on. */
  hangUp(): void {
    this.#link.stopped('SIGHUP');
    this.signal('SIGHUP');
    const timer = setTimeout(() => void this.end(), HANGUP_MS);
    void this.#child.ended.then(() => clearTimeout(timer));
  }

  /** Ends it because this process ends: the agent did not end on its own and may be resumed. */
  stop(signal: NodeJS.Signals): void {
    this.#link.stopped(signal);
    void this.end();
  }

  /** Sequence that resets a viewer's terminal from the program's modes. */
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

  /** The program is not read meanwhile: otherwise one that writes without a pause would never be fully drawn. */
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

  #pause(): ReasonInput | undefined {
    if (this.#isHeld) return { code: 'held_by_viewer' };
    return this.#isStopped ? SUSPENDED : undefined;
  }

  /** The daemon is told first: this process may be stopped as well, until the person brings both back. */
  #suspend(): void {
    this.#isStopped = true;
    this.#deliverer.look();
    // What is said in one turn of the event loop leaves at its end.
    setImmediate(() => {
      this.onSuspended();
      this.#isStopped = false;
      this.#deliverer.look();
    });
  }

  #screenChanged(): void {
    this.#terminal.screenChanged();
    this.#patterns?.changed(this.#screen);
    this.#deliverer.look();
    const { state } = this.#terminal.reading();
    // A half-drawn screen tells nothing.
    if (state === 'unknown') return;
    const isNew = state === 'suspended' && !this.#isSuspended;
    // Before notifying others, who change the screen as well.
    this.#isSuspended = state === 'suspended';
    if (isNew) this.#suspend();
  }
}

const factsOf = (
  { id, cli, args, choices, version, terminal }: RunDescription,
  cwd: string,
  program: MarkedProcess,
) => ({
  run: id,
  cli,
  args,
  ...(choices && { choices }),
  cwd,
  program,
  ...(version === undefined ? {} : { version }),
  ...hostFacts(terminal),
});

/** What the daemon is told of this process, which hosts a run. */
export const hostFacts = (terminal?: string) => ({
  host: { pid: process.pid, mark: processMark(process.pid) ?? 'unknown' },
  ...(terminal === undefined ? {} : { terminal }),
  startedAt: Date.now(),
});
