import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { welcome } from '../connection/connection.ts';
import { isTyping } from '../parts/typing.ts';
import { linkTo, type Place } from '../routes.ts';
import { isPaletteOpen } from './palette.tsx';
import { moveByRow, pressInRow, ROW_KEYS } from './row-keys.ts';

/** Destinations of the key after `g`. */
const GO: Record<string, [place: Place, text: string]> = {
  o: ['overview', 'overview'],
  m: ['activity', 'all messages'],
  t: ['tools', 'tools'],
  x: ['terminal', 'terminals'],
  i: ['invocations', 'invocations'],
  s: ['servers', 'MCP servers'],
};
const GO_WITHIN_MS = 2_000;

const isHelpOpen = signal(false);

/** Global keyboard shortcuts. */
export function Shortcuts() {
  useEffect(() => {
    let goUntil = 0;
    const keyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
        // In a terminal this key belongs to the program.
        if (event.target instanceof HTMLElement && event.target.closest('.xterm')) return;
        isPaletteOpen.value = !isPaletteOpen.value;
      } else if (ctrlKey || metaKey || altKey || isTyping(event.target)) return;
      else if (key === 'g') goUntil = event.timeStamp + GO_WITHIN_MS;
      else if (event.timeStamp < goUntil && GO[key])
        location.hash = linkTo(welcome.value?.project ?? '', GO[key][0]);
      else if (key === '/') location.hash = linkTo(welcome.value?.project ?? '', 'search');
      else if (key === '?') isHelpOpen.value = true;
      else if (key === 'j' || key === 'k') moveByRow(key === 'j' ? 1 : -1);
      else if (!(key in ROW_KEYS && pressInRow(key))) return;
      event.preventDefault();
    };
    addEventListener('keydown', keyDown);
    return () => removeEventListener('keydown', keyDown);
  }, []);
  return isHelpOpen.value ? <Help /> : null;
}

const KEYS: Array<[keys: string[], text: string]> = [
  [['Ctrl', 'K'], 'Find places and commands'],
  [['/'], 'Search messages'],
  ...Object.entries(GO).map(([key, [, text]]): [string[], string] => [['g', key], `Go to ${text}`]),
  [['j'], 'Next row of the list'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row, or send the message'],
  ...Object.entries(ROW_KEYS).map(([key, text]): [string[], string] => [[key], text]),
  [['Esc'], 'Close a panel'],
  [['?'], 'Show keyboard shortcuts'],
];

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="keys"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <h2 id="keys">Keyboard shortcuts</h2>
      <dl class="keys">
        {KEYS.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
