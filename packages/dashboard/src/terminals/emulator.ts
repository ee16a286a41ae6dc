import '@xterm/xterm/css/xterm.css';
import { Terminal } from '@xterm/xterm';
import { type CellShape, fontFor, type Room, type Size, sizeIn, USUAL_FONT } from './fitting.ts';
import { isFocusReport, onlyDraw } from './safe-output.ts';
import { setStylesByScript } from './scripted-styles.ts';

const FONT = 'ui-monospace, "JetBrains Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const LINE_HEIGHT = 1.15;
/** Rows that scrolled by; the snapshot of a host has no more. */
const SCROLLBACK = 2000;

/** Always dark: programs choose their colours for the terminal they run in, and most of those are. */
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

export interface EmulatorOptions {
  /** Around the terminal: what there is room for. */
  frame: HTMLElement;
  label: string;
  /** Keys of the person, for the program. */
  onKeys(keys: Uint8Array): void;
  /** The person wants to leave the terminal by keyboard. */
  onLeave(): void;
  /** The room has changed. */
  onRoom(): void;
}

/** A terminal of an agent in the page: it draws, takes keys while the person drives, and answers nothing by itself. */
export class Emulator {
  readonly #terminal: Terminal;
  readonly #frame: HTMLElement;
  readonly #cell: CellShape;
  readonly #observer: ResizeObserver;
  #size: Size = { columns: 80, rows: 24 };
  #zoom = 1;
  #canType = false;
  /** Bytes that were given to the terminal and not drawn yet. */
  #backlog = 0;
  #drained: Array<() => void> = [];

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
    });
    onlyDraw(this.#terminal.parser);
    this.#terminal.attachCustomKeyEventHandler((event) => {
      // A person who watches moves on with Tab, as everywhere.
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
    return this.#backlog;
  }

  /** Whether the program wants the arrows of application mode. */
  get hasApplicationArrows(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  /** The size that a terminal for this room has. */
  wantedSize(): Size {
    return sizeIn(this.#room(), this.#cell, USUAL_FONT * this.#zoom);
  }

  /** All that is on a terminal of this size; what was shown before is void. */
  begin(content: Uint8Array, size: Size): void {
    this.#size = size;
    this.#terminal.reset();
    this.#terminal.resize(size.columns, size.rows);
    this.#fit();
    this.add(content);
  }

  add(output: Uint8Array): void {
    this.#backlog += output.length;
    this.#terminal.write(output, () => {
      this.#backlog -= output.length;
      if (this.#backlog > 0) return;
      for (const resolve of this.#drained.splice(0)) resolve();
    });
  }

  /** Resolves when everything was drawn. */
  drained(): Promise<void> {
    if (this.#backlog === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
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
