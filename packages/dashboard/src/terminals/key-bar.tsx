import type { BarKey } from './keys.ts';

const KEYS: Array<{ name: BarKey; text: string; label?: string }> = [
  { name: 'Escape', text: 'Esc' },
  { name: 'Tab', text: 'Tab' },
  { name: 'Left', text: '←', label: 'Left' },
  { name: 'Up', text: '↑', label: 'Up' },
  { name: 'Down', text: '↓', label: 'Down' },
  { name: 'Right', text: '→', label: 'Right' },
  { name: 'Enter', text: '⏎', label: 'Enter' },
];
const BEFORE_CONTROL = 2;

/** Keeps the focus in the terminal: losing it would close the phone's keyboard. */
const keepFocus = (event: Event): void => event.preventDefault();

/** The keys that a phone's keyboard lacks. Ctrl applies to the next key. */
export function KeyBar({
  control,
  onControl,
  onKey,
}: {
  control: boolean;
  onControl: (isHeld: boolean) => void;
  onKey: (key: BarKey) => void;
}) {
  const keys = KEYS.map(({ name, text, label }) => (
    <button
      key={name}
      type="button"
      aria-label={label}
      onPointerDown={keepFocus}
      onMouseDown={keepFocus}
      onClick={() => onKey(name)}
    >
      {text}
    </button>
  ));
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      {keys.slice(0, BEFORE_CONTROL)}
      <button
        type="button"
        aria-pressed={control}
        aria-label="Ctrl, for the next key"
        onPointerDown={keepFocus}
        onMouseDown={keepFocus}
        onClick={() => onControl(!control)}
      >
        Ctrl
      </button>
      {keys.slice(BEFORE_CONTROL)}
    </div>
  );
}
