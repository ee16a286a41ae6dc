import type { HistoryMessage } from '@agent-relay/sdk';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { dayName, now } from '../../parts/time.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useReading } from '../reading.ts';
import type { Stream } from '../stream.ts';
import { MessageRow } from './message-row.tsx';

/** Messages of one sender within this time share a heading. */
const TOGETHER_MS = 300_000;
const NEAR_END_PX = 80;
const NEAR_TOP_PX = 200;

/** The messages of a conversation. Stays scrolled to the end, unless the person has scrolled up. */
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
  const place = useRef({ atEnd: target === undefined, height: 0, first: 0, isFound: false });
  const messages = stream.messages.value;

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const { atEnd, height, first } = place.current;
    const firstNow = messages[0]?.seq ?? 0;
    const found = target && !place.current.isFound ? document.getElementById(`message-${target}`) : null;
    if (found) {
      place.current.isFound = true;
      found.scrollIntoView({ block: 'center' });
    } else if (atEnd) element.scrollTop = element.scrollHeight;
    // Older messages were added above: keep the scroll position.
    else if (first !== 0 && firstNow < first) element.scrollTop += element.scrollHeight - height;
    place.current.height = element.scrollHeight;
    place.current.first = firstNow;
  }, [messages]);

  const scrolled = () => {
    const element = frame.current;
    if (!element) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    place.current.atEnd = left < NEAR_END_PX && !stream.newer.peek();
    if (left < NEAR_TOP_PX) stream.loadNewer();
    stream.isFollowed = place.current.atEnd;
    place.current.height = element.scrollHeight;
    if (element.scrollTop < NEAR_TOP_PX) stream.loadOlder();
  };

  useReading(frame, messages);

  return (
    <div class="messages" ref={frame} onScroll={scrolled} role="log" aria-label="Messages">
      {stream.more.value && (
        <p class="muted center">{stream.isLoading.value ? 'Loading…' : 'Scroll up for more'}</p>
      )}
      {stream.error.value && <Trouble problem={stream.error.value} />}
      {!stream.isLoading.value && !stream.error.value && messages.length === 0 && empty}
      {messages.map((message, index) => (
        <Dated
          key={message.id}
          message={message}
          before={messages[index - 1]}
          withPlace={withPlace}
          isTarget={message.id === target}
        />
      ))}
      {stream.newer.value && (
        <p class="to-end">
          <button
            type="button"
            onClick={() => {
              place.current.atEnd = true;
              stream.isFollowed = true;
              stream.jumpToEnd();
            }}
          >
            <Icon name="down" /> Latest messages
          </button>
        </p>
      )}
    </div>
  );
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
