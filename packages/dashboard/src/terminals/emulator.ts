import '@xterm/xterm/css/xterm.css';
import { Drawing } from '@agent-relay/protocol/drawing';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { Terminal } from '@xterm/xterm';
import { type CellShape, fontFor, type Room, type Size, sizeIn, USUAL_FONT } from './fitting.ts';
import { OutputQueue } from './output-queue.ts';
import { setStylesByScript } from './scripted-styles.ts';

const FONT = 'ui-monospace, "JetBrains Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const LINE_HEIGHT = 1.15;
/** Scrollback rows; a host's snapshot has no more. */
const SCROLLBACK = 2000;

/** Always dark, because most programs choose their colours for dark terminals. */
const THEME = {
  background: '#101114',
  foreground: '#dcdde0',
  cursor: '#97a3f5',
  cursorAccent: '#101114',
  selectionBackground: '#3a4170',
  black: '#1d1f24',
  red: '#f0857b',
  green: '#56c288',
  yellow: '#e2ab4d',
  blue: '#8fa1f7',
  magenta: '#cf9af0',
  cyan: '#5fc3d0',
  white: '#c9cbd1',
  brightBlack: '#767b86',
  brightRed: '#ffa69e',
  brightGreen: '#7fdca8',
  brightYellow: '#f2c777',
  brightBlue: '#b3c0ff',
  brightMagenta: '#e2bcff',
  brightCyan: '#8fe0ea',
  brightWhite: '#f4f5f7',
};

setStylesByScript();

/** Focus reports, which the program did not request from this viewer. */
const isFocusReport = (keys: string): boolean => keys === '\x1b[I' || keys === '\x1b[O';

export interface EmulatorOptions {
  /** The element around the terminal, which determines its size. */
  frame: HTMLElement;
  label: string;
  /** Keys typed by the person, for the program. */
  onKeys(keys: Uint8Array): void;
  /** The person leaves the terminal by keyboard. */
  onLeave(): void;
  /** The available size has changed. */
  onRoom(): void;
}

/** An agent's terminal in the page: draws, takes keys while the person types, and never answers queries itself. */
export class Emulator {
  readonly #terminal: Terminal;
  readonly #frame: HTMLElement;
  readonly #cell: CellShape;
  readonly #observer: ResizeObserver;
  readonly #output: OutputQueue;
  #size: Size = { columns: 80, rows: 24 };
  #drawing = new Drawing(this.#size);
  #zoom = 1;
  #canType = false;

  constructor({ frame, label, onKeys, onLeave, onRoom }: EmulatorOptions) {
    this.#frame = frame;
    this.#cell = measureCell();
    this.#terminal = new Terminal({
      cols: this.#size.columns,
      rows: this.#size.rows,
      disableStdin: true,
      fontFamily: FONT,
      fontSize: USUAL_FONT,
      lineHeight: LINE_HEIGHT,
      minimumContrastRatio: 4.5,
      scrollback: SCROLLBACK,
      theme: THEME,
      cursorInactiveStyle: 'outline',
      allowProposedApi: true,
    });
    // Emoji are as wide as in the host's emulator, whose picture is drawn first.
    this.#terminal.loadAddon(new UnicodeGraphemesAddon());
    this.#output = new OutputQueue((output, done) => this.#terminal.write(this.#drawing.of(output), done));
    this.#terminal.attachCustomKeyEventHandler((event) => {
      // While watching, Tab moves the focus as everywhere.
      if (!this.#canType) return false;
      if (!event.ctrlKey || event.altKey || event.metaKey || event.key !== ']') return true;
      event.preventDefault();
      if (event.type === 'keydown') onLeave();
      return false;
    });
    this.#terminal.onData((keys) => {
      if (!isFocusReport(keys)) onKeys(new TextEncoder().encode(keys));
    });
    this.#terminal.onBinary((keys) => onKeys(Uint8Array.from(keys, (key) => key.charCodeAt(0))));
    this.#terminal.open(frame);
    this.#terminal.textarea?.setAttribute('aria-label', label);
    this.#observer = new ResizeObserver(() => {
      this.#fit();
      onRoom();
    });
    this.#observer.observe(frame);
  }

  get backlog(): number {
    return this.#output.backlog;
  }

  /** Whether the program uses application cursor keys. */
  get hasApplicationArrows(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  /** The terminal size that fits. */
  wantedSize(): Size {
    return sizeIn(this.#room(), this.#cell, USUAL_FONT * this.#zoom);
  }

  /** Replaces the content with a snapshot of this size. */
  begin(content: Uint8Array, size: Size): void {
    this.#output.restart(() => {
      this.#size = size;
      this.#drawing = new Drawing(size);
      this.#terminal.reset();
      this.#terminal.resize(size.columns, size.rows);
      this.#fit();
    }, content);
  }

  add(output: Uint8Array): void {
    this.#output.add(output);
  }

  /** Resolves when everything has been drawn. */
  drained(): Promise<void> {
    return this.#output.drained();
  }

  setTyping(canType: boolean): void {
    this.#canType = canType;
    this.#terminal.options.disableStdin = !canType;
    this.#terminal.options.cursorBlink = canType;
  }

  setZoom(zoom: number): void {
    this.#zoom = zoom;
    this.#fit();
  }

  setScreenReader(isOn: boolean): void {
    this.#terminal.options.screenReaderMode = isOn;
  }

  focus(): void {
    this.#terminal.focus();
  }

  close(): void {
    this.#observer.disconnect();
    this.#terminal.dispose();
  }

  #room(): Room {
    return { width: this.#frame.clientWidth, height: this.#frame.clientHeight };
  }

  #fit(): void {
    const font = fontFor(this.#size, this.#room(), this.#cell) * this.#zoom;
    if (font !== this.#terminal.options.fontSize) this.#terminal.options.fontSize = font;
  }
}

function measureCell(): CellShape {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return { width: 0.6, height: 1.2 * LINE_HEIGHT };
  context.font = `100px ${FONT}`;
  const { width, fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText('W');
  return {
    width: width / 100,
    height: ((fontBoundingBoxAscent + fontBoundingBoxDescent) / 100) * LINE_HEIGHT,
  };
}
