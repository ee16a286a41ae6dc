import type { HistoryMessage } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../../connection/connection.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu, type MenuAction } from '../../parts/menu.tsx';
import { tell } from '../../parts/notices.tsx';
import { linkTo } from '../../routes.ts';
import { openThread, panel } from '../panel-state.ts';

const EMOJIS = ['👍', '✅', '🎉', '👀', '❤️', '😄', '❓', '🚫'];

const openDelivery = (message: HistoryMessage): void => {
  panel.value = { kind: 'delivery', message };
};

async function copy(text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  tell(`Copied the ${what}.`);
}

const linkOf = ({ id }: HistoryMessage): string =>
  new URL(linkTo(welcome.value?.project ?? '', 'message', id), location.href).href;

/** Only where the browser lets a page do it: over TLS, and on this machine. */
const copies = (message: HistoryMessage): MenuAction[] =>
  navigator.clipboard
    ? [
        { text: 'Copy link', icon: 'link', run: () => copy(linkOf(message), 'link to the message') },
        { text: 'Copy text', icon: 'file', run: () => copy(message.content, 'text') },
      ]
    : [];

const panels = (message: HistoryMessage): MenuAction[] => [
  { text: 'Thread', icon: 'reply', run: () => openThread(message) },
  { text: 'Delivery', icon: 'route', run: () => openDelivery(message) },
];

/** The actions of a message: with a mouse beside it, on a phone in its menu. */
export function MessageActions({ message }: { message: HistoryMessage }) {
  const { id, from } = message;
  const react = (emoji: string) => relay().react(id, emoji).catch(tell);
  const label = `Actions for ${from}’s message`;
  if (matchMedia('(hover: none)').matches)
    return (
      <div class="message-actions">
        <Menu label={label} actions={() => [...panels(message), ...copies(message)]}>
          {(close) => (
            <div class="menu-emojis">
              <Emojis
                role="menuitem"
                onPick={(emoji) => {
                  close();
                  react(emoji);
                }}
              />
            </div>
          )}
        </Menu>
      </div>
    );
  return (
    <div class="message-actions">
      <Reacting from={from} onPick={react} />
      <button
        type="button"
        class="quiet"
        aria-label={`Open the thread of ${from}’s message`}
        aria-keyshortcuts="r"
        title="Reply in its thread"
        onClick={() => openThread(message, { isReply: true })}
      >
        <Icon name="reply" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Show the delivery of ${from}’s message`}
        title="Delivery"
        onClick={() => openDelivery(message)}
      >
        <Icon name="route" />
      </button>
      {copies(message).length > 0 && <Menu label={label} actions={() => copies(message)} />}
    </div>
  );
}

const Emojis = ({ role, onPick }: { role?: 'menuitem'; onPick: (emoji: string) => void }) => (
  <>
    {EMOJIS.map((emoji) => (
      <button
        key={emoji}
        type="button"
        role={role}
        class="quiet"
        aria-label={`React with ${emoji}`}
        onClick={() => onPick(emoji)}
      >
        {emoji}
      </button>
    ))}
  </>
);

/** A button that opens a row of emojis beside it; the arrow keys go through them. */
function Reacting({ from, onPick }: { from: string; onPick: (emoji: string) => void }) {
  const isPicking = useSignal(false);
  const emojis = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => {
    if (isPicking.value) emojis.current?.querySelector('button')?.focus();
  }, [isPicking.value]);
  /** The focus goes back to the message: what had it is gone. */
  const close = () => {
    emojis.current?.closest<HTMLElement>('[data-row]')?.focus();
    isPicking.value = false;
  };
  return (
    <>
      {isPicking.value && (
        <fieldset
          ref={emojis}
          class="emojis"
          aria-label={`Reactions to ${from}’s message`}
          onKeyDown={(event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (step !== undefined) moveFocus(event.currentTarget, step);
            else if (event.key === 'Escape') close();
            else return;
            event.preventDefault();
            // Escape would also close the panel around it.
            event.stopPropagation();
          }}
        >
          <Emojis
            onPick={(emoji) => {
              close();
              onPick(emoji);
            }}
          />
        </fieldset>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`React to ${from}`}
        aria-keyshortcuts="e"
        aria-expanded={isPicking.value}
        title="React"
        onClick={() => {
          isPicking.value = !isPicking.value;
        }}
      >
        <Icon name="smile" />
      </button>
    </>
  );
}

/** To the next or the previous one, around the ends. */
function moveFocus(group: HTMLElement, step: number): void {
  const buttons = [...group.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons.at((at + step) % buttons.length)?.focus();
}
