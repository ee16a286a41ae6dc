import type { HistoryMessage } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { dayName, now } from '../../parts/time.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { isTyping } from '../../parts/typing.ts';
import { useReading } from '../reading.ts';
import { ScrollAnchor } from '../scroll-anchor.ts';
import type { Stream } from '../stream.ts';
import { MessageRow, rowId } from './message-row.tsx';

/** Messages of one sender within this time share a heading. */
const TOGETHER_MS = 300_000;
/** Pages are read before the person gets to them. */
const AHEAD_PX = 1_600;

/**
 * The messages of a conversation. A person at the end stays there; for one who reads elsewhere nothing moves: see
 * `ScrollAnchor`.
 */
export function MessageList({
  stream,
  withPlace = false,
  target,
  empty,
}: {
  stream: Stream;
  withPlace?: boolean;
  /** Shown while there are no messages. */
  empty: ComponentChildren;
  /** The message to scroll to. */
  target?: string | undefined;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const anchor = useRef<ScrollAnchor | undefined>(undefined);
  const isShown = useRef(target === undefined);
  const isAway = useSignal(false);
  const messages = stream.messages.value;
  const isLoading = stream.isLoading.value;

  /** Reads what comes into view next. */
  const look = () => {
    const element = frame.current;
    const place = anchor.current;
    if (!element || !place || !isShown.current) return;
    const id = place.row?.id;
    stream.inView = place.isAtEnd ? undefined : stream.messages.peek().find((one) => rowId(one) === id)?.seq;
    isAway.value = place.below > element.clientHeight;
    if (stream.error.peek()) return;
    const still = () => place.still();
    if (place.below < AHEAD_PX) stream.loadNewer(still);
    // One who follows the end has no need of older ones.
    if (element.scrollTop < (place.isAtEnd ? 1 : AHEAD_PX)) stream.loadOlder(still);
  };

  useLayoutEffect(() => {
    if (!frame.current) return;
    const made = new ScrollAnchor(frame.current, {
      isAtEnd: target === undefined,
      isWhole: () => !stream.newer.peek(),
      onMove: look,
    });
    anchor.current = made;
    return () => made.close();
  }, []);

  useLayoutEffect(() => {
    const row = isShown.current ? null : rowOf(frame.current, target);
    if (row) {
      isShown.current = true;
      anchor.current?.show(row);
    } else anchor.current?.hold();
    if (!isLoading) isShown.current = true;
    if (!isLoading) takeFocus(row ?? frame.current);
    look();
  }, [messages, isLoading]);

  useReading(frame, messages);

  const toEnd = () => {
    if (stream.newer.peek()) stream.jumpToEnd();
    isShown.current = true;
    anchor.current?.toEnd();
  };

  return (
    <div class="messages-place">
      {/* Focusable, to be scrolled with the keyboard. */}
      <div
        class="messages"
        ref={frame}
        role="log"
        aria-label="Messages"
        aria-busy={isLoading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: axe-core asks for it
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key !== 'End' || isTyping(event.target)) return;
          toEnd();
          event.preventDefault();
        }}
      >
        <div>
          {stream.more.value && <p class="muted center">{isLoading ? 'Loading…' : 'Scroll up for more'}</p>}
          {stream.error.value && <Trouble problem={stream.error.value} />}
          {!isLoading && !stream.error.value && messages.length === 0 && empty}
          {messages.map((message, index) => (
            <Dated
              key={message.id}
              message={message}
              before={messages[index - 1]}
              withPlace={withPlace}
              isTarget={message.id === target}
            />
          ))}
        </div>
      </div>
      {messages.length > 0 && (stream.newer.value || isAway.value) && (
        <p class="to-end">
          <button type="button" onClick={toEnd}>
            <Icon name="down" /> Latest messages
          </button>
        </p>
      )}
    </div>
  );
}

const rowOf = (frame: HTMLElement | null, id = ''): HTMLElement | null =>
  frame?.querySelector<HTMLElement>(`#${CSS.escape(rowId({ id }))}`) ?? null;

/**
 * For the keys that scroll, and without a ring, because nobody has asked for it. Only if nothing else has the focus, as
 * after a row that had it was taken out of the list.
 */
function takeFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true, focusVisible: false });
}

function Dated({
  message,
  before,
  withPlace,
  isTarget,
}: {
  message: HistoryMessage;
  before: HistoryMessage | undefined;
  withPlace: boolean;
  isTarget: boolean;
}) {
  const isNewDay = before === undefined || !isSameDay(before.ts, message.ts);
  const isFirst =
    isNewDay ||
    before.from !== message.from ||
    message.ts - before.ts > TOGETHER_MS ||
    (withPlace && before.to !== message.to);
  return (
    <>
      {isNewDay && <h3 class="day">{dayName(message.ts, now.value)}</h3>}
      <MessageRow message={message} isFirst={isFirst} withPlace={withPlace} isTarget={isTarget} />
    </>
  );
}

const isSameDay = (one: number, other: number): boolean =>
  new Date(one).toDateString() === new Date(other).toDateString();
