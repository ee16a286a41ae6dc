import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { tell } from './notices.tsx';

export interface MenuAction {
  text: string;
  icon: IconName;
  /** The link it opens, or what it does. */
  run: string | (() => unknown);
  /** The confirmation, for actions that cannot be undone. */
  question?: string;
}

/** The actions of one item, behind one button. `children` stand above them. */
export function Menu({
  label,
  actions,
  children,
}: {
  label: string;
  actions: () => MenuAction[];
  children?: (close: () => void) => ComponentChildren;
}) {
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = useSignal(false);
  // A click outside closes it before the button gets the click.
  const wasOpen = useRef(false);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class="quiet menu-opener"
        aria-haspopup="menu"
        aria-keyshortcuts="."
        aria-expanded={isOpen.value}
        aria-label={label}
        title="More"
        onPointerDown={() => {
          wasOpen.current = isOpen.value;
        }}
        onClick={() => {
          isOpen.value = !wasOpen.current;
          wasOpen.current = false;
        }}
      >
        <Icon name="more" />
      </button>
      {isOpen.value && (
        <Opened
          label={label}
          actions={actions()}
          opener={opener.current}
          above={children}
          onClosed={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
}

function Opened({
  label,
  actions,
  opener,
  above,
  onClosed,
}: {
  label: string;
  actions: MenuAction[];
  opener: HTMLElement | null;
  above: ((close: () => void) => ComponentChildren) | undefined;
  onClosed: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element || !opener) return;
    element.showPopover();
    placeBeside(element, opener);
    itemsOf(element)[0]?.focus();
    const { top, left } = opener.getBoundingClientRect();
    // Scrolling moves its item away from it; that of another part of the page, or of a moment ago, does not.
    const scrolled = () => {
      const moved = opener.getBoundingClientRect();
      if (moved.top !== top || moved.left !== left) close();
    };
    addEventListener('scroll', scrolled, { capture: true });
    return () => removeEventListener('scroll', scrolled, { capture: true });
  }, []);
  return (
    <div
      ref={menu}
      class="menu"
      role="menu"
      aria-label={label}
      popover="auto"
      tabIndex={-1}
      onToggle={({ newState }) => {
        if (newState === 'closed') onClosed();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Tab') close();
        else if (moveIn(event.currentTarget, event.key)) event.preventDefault();
      }}
    >
      {above?.(close)}
      {actions.map((action) => (
        <Action key={action.text} action={action} close={close} />
      ))}
    </div>
  );
}

function Action({ action: { text, icon, run, question }, close }: { action: MenuAction; close: () => void }) {
  const isAsked = useSignal(false);
  if (typeof run === 'string')
    return (
      <a role="menuitem" class="menu-item" href={run} onClick={close}>
        <Icon name={icon} /> {text}
      </a>
    );
  return (
    <button
      type="button"
      role="menuitem"
      class={isAsked.value ? 'menu-item danger' : 'menu-item'}
      onClick={() => {
        if (question !== undefined && !isAsked.value) {
          isAsked.value = true;
          return;
        }
        close();
        Promise.resolve(run()).catch(tell);
      }}
    >
      <Icon name={icon} /> {isAsked.value ? question : text}
    </button>
  );
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role="menuitem"]'),
];

/** The focus follows the arrows, around the ends. */
function moveIn(menu: HTMLElement, key: string): boolean {
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
  const wanted = steps[key];
  if (wanted === undefined) return false;
  items.at(wanted % items.length)?.focus();
  return true;
}

const GAP_PX = 4;

/** Below the button, or above it where there is no room. */
function placeBeside(menu: HTMLElement, opener: HTMLElement): void {
  const { top, bottom, right } = opener.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = menu;
  const hasRoom = bottom + GAP_PX + offsetHeight <= innerHeight;
  menu.style.top = `${hasRoom ? bottom + GAP_PX : Math.max(GAP_PX, top - GAP_PX - offsetHeight)}px`;
  menu.style.left = `${Math.max(GAP_PX, right - offsetWidth)}px`;
}
