import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { hasDraft } from '../../parts/drafts.ts';
import { Icon } from '../../parts/icon.tsx';
import { isTyping } from '../../parts/typing.ts';
import { settledHere } from './deeds.ts';
import { fold } from './folding.ts';
import { heightOf } from './heights.ts';
import { Ended, Line, Shown } from './items/shown-item.tsx';
import { selectable, selection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { type Placed, steadily } from './steady-order.ts';
import { isAmong } from './urgency.ts';
import { singlesOf, type WaitingItem } from './waiting-item.ts';
import { contentOf, waitingItems, wantedItem } from './waiting-list.ts';

/** Height of the rest above the agents, and of some agents. */
const OTHERS = 385;

/** Long enough to read that something has ended. */
const SEEN_MS = 4_000;

/** What waits for the person, each with the buttons that help. */
export function Waiting() {
  const isPointedAt = useSignal(false);
  const isWrittenIn = useSignal(false);
  const list = useRef<HTMLUListElement>(null);
  const measured = useRef(new Map<string, number>());
  const before = useRef<Array<Placed<WaitingItem>>>([]);
  /** What has ended and was seen. */
  const gone = useSignal<ReadonlySet<string>>(new Set());
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const showsAll = useSignal(false);
  const items = waitingItems.value;
  useEffect(() => {
    const wanted = wantedItem.value;
    const item = items.find((one) => wanted !== undefined && isAmong(one, wanted));
    if (!item) return;
    wantedItem.value = undefined;
    chosen.value = new Set([...chosen.value, item.id]);
  }, [wantedItem.value, items]);
  useEffect(() => stopSelecting, []);
  useEffect(() => {
    if (selectable.value.length === 0) stopSelecting();
  }, [selectable.value]);
  const isSteady = isPointedAt.value || isWrittenIn.value;
  const placed = isSteady
    ? steadily(before.current, items, (item) => mayGo(item) || gone.value.has(item.id))
    : items.map((item) => ({ item, hasEnded: false }));
  before.current = placed;
  useLayoutEffect(() => {
    if (!isSteady) return;
    for (const shown of list.current?.querySelectorAll<HTMLElement>('[data-item]') ?? [])
      measured.current.set(shown.dataset.item ?? '', shown.offsetHeight);
  });
  const ended = placed.filter(({ hasEnded }) => hasEnded).map(({ item }) => item.id);
  useEffect(() => {
    if (placed.length === 0) {
      isPointedAt.value = false;
      isWrittenIn.value = false;
    }
    if (ended.length === 0) return undefined;
    const timer = setTimeout(() => {
      gone.value = new Set(ended);
    }, SEEN_MS);
    return () => clearTimeout(timer);
  }, [placed.length, ended.join('\n')]);
  if (placed.length === 0)
    return (
      <p class="all-clear">
        <Icon name="check" /> Nothing waits for you.
      </p>
    );
  const shown = placed.map(({ item }) => item);
  const used = new Set(
    shown.filter((item) => singlesOf(item).some(({ id }) => hasDraft(id))).map(({ id }) => id),
  );
  const room = Math.max(innerHeight - OTHERS, 300);
  const heights = shown.map((item) => ({ id: item.id, height: heightOf(item) }));
  const { open, lines, hidden } = fold(heights, { room, used, chosen: chosen.value });
  const isFolded = open.size < shown.length;
  const isSelecting = selection.value !== undefined;
  // More urgent than what it stands below.
  const inPlace = placed.filter(({ hasEnded }) => !hasEnded).map(({ item }) => item);
  const late = items.filter((item, index) => inPlace.indexOf(item) > index).length;
  const showAll = () => {
    showsAll.value = !showsAll.value;
    chosen.value = new Set();
  };
  return (
    // Escape reaches it from the items.
    <section
      class="waiting"
      aria-labelledby="waiting"
      onKeyDown={({ key, target }) => {
        if (key === 'Escape' && !isTyping(target)) stopSelecting();
      }}
    >
      <header class="waiting-title">
        <h2 id="waiting">
          Waiting for you <span class="count">{items.length.toLocaleString()}</span>
        </h2>
        {late > 0 && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              isPointedAt.value = false;
              isWrittenIn.value = false;
            }}
          >
            {late} new above
          </button>
        )}
        {(isSelecting || selectable.value.length > 1) && (
          <button
            type="button"
            class="quiet push-right"
            onClick={() => {
              selection.value = isSelecting ? undefined : new Set();
            }}
          >
            {isSelecting ? 'Cancel' : 'Select'}
          </button>
        )}
        {(isFolded || showsAll.value) && (
          <button type="button" class="quiet" aria-expanded={showsAll.value} onClick={showAll}>
            {showsAll.value ? 'Show less' : 'Show all'}
          </button>
        )}
      </header>
      {isSelecting && <SelectionBar />}
      <ul
        ref={list}
        class="waiting-list"
        onPointerEnter={({ pointerType }) => {
          isPointedAt.value = pointerType === 'mouse';
        }}
        onPointerLeave={() => {
          isPointedAt.value = false;
        }}
        onFocusIn={({ target }) => {
          isWrittenIn.value = isTyping(target);
        }}
        onFocusOut={() => {
          isWrittenIn.value = false;
        }}
      >
        {placed.map(({ item, hasEnded }, index) => {
          if (hasEnded) return <Ended key={item.id} item={item} height={measured.current.get(item.id)} />;
          if (showsAll.value || open.has(item.id))
            return <Shown key={item.id} item={item} shown={contentUpTo(shown, index)} />;
          if (!isSelecting && !lines.has(item.id)) return null;
          return (
            <Line
              key={item.id}
              item={item}
              onOpen={() => {
                chosen.value = new Set([...chosen.value, item.id]);
              }}
            />
          );
        })}
        {!showsAll.value && !isSelecting && hidden > 0 && (
          <li class="waiting-rest">
            <button type="button" class="quiet" onClick={showAll}>
              and {hidden.toLocaleString()} more
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Only what could be allowed says that it has ended, unless it was decided here. */
const mayGo = (item: WaitingItem): boolean => {
  if (item.kind === 'prompt') return settledHere.has(item.prompt.digest);
  return item.kind !== 'consent' || settledHere.has(item.id);
};

/** What is shown down to the end of an item: while it stays the same, so do the item and its place. */
const contentUpTo = (shown: readonly WaitingItem[], index: number): string =>
  shown
    .slice(0, index + 1)
    .map(contentOf)
    .join('\n');

const stopSelecting = (): void => {
  selection.value = undefined;
};
