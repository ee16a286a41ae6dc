import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { prompts } from '../../model/project.ts';
import { Icon } from '../../parts/icon.tsx';
import { isTyping } from '../../parts/typing.ts';
import { fold } from './folding.ts';
import { selectable, selection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { Line, Shown } from './waiting-items.tsx';
import { type WaitingItem, waitingItems, wantedItem } from './waiting-list.ts';

/** Text of one line, in the block of an item. */
const COLUMNS = { desk: 100, phone: 42 };
const LINE = 20;
/** The block of a long text has so many lines. */
const MOST_LINES = 12;
/** The head, the buttons and what is around them. */
const FRAME = 104;
/** An item with nothing but a head and buttons beside it. */
const SHORT = 74;
/** Height of the rest above the agents, and of some agents. */
const OTHERS = 385;

function heightOf(item: WaitingItem): number {
  if (item.kind === 'held') return FRAME + LINE * Math.min(item.messages.length, 4);
  const prompt = item.kind === 'stopped' ? prompts.value.get(item.stopped.agent.name)?.text : item.text;
  const columns = innerWidth > 760 ? COLUMNS.desk : COLUMNS.phone;
  const lines = (prompt ?? '').split('\n', MOST_LINES).map((line) => Math.ceil((line.length || 1) / columns));
  const count = prompt === undefined ? 0 : lines.reduce((sum, more) => sum + more, 0);
  if (item.kind === 'stopped' && count === 0) return innerWidth > 760 ? SHORT : FRAME + LINE;
  return FRAME + LINE * Math.min(count, MOST_LINES);
}

/** What waits for the person, each with the buttons that help. */
export function Waiting() {
  const before = useRef<ReadonlySet<string>>(new Set());
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const showsAll = useSignal(false);
  const items = waitingItems.value;
  useEffect(() => {
    const wanted = wantedItem.value;
    if (wanted === undefined) return;
    wantedItem.value = undefined;
    chosen.value = new Set([...chosen.value, wanted]);
  }, [wantedItem.value]);
  useEffect(() => stopSelecting, []);
  useEffect(() => {
    if (selectable.value.length === 0) stopSelecting();
  }, [selectable.value]);
  if (items.length === 0)
    return (
      <p class="all-clear">
        <Icon name="check" /> Nothing waits for you.
      </p>
    );
  const heights = items.map((item) => ({ id: item.id, height: heightOf(item) }));
  const room = Math.max(innerHeight - OTHERS, 300);
  const { open, lines, hidden } = fold(heights, { room, before: before.current, chosen: chosen.value });
  before.current = new Set([...open].filter((id) => !chosen.value.has(id)));
  const isFolded = open.size < items.length;
  const isSelecting = selection.value !== undefined;
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
          Waiting for you <span class="count">{items.length}</span>
        </h2>
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
          <button
            type="button"
            class="quiet"
            aria-expanded={showsAll.value}
            onClick={() => {
              showsAll.value = !showsAll.value;
              chosen.value = new Set();
            }}
          >
            {showsAll.value ? 'Show less' : 'Show all'}
          </button>
        )}
      </header>
      {isSelecting && <SelectionBar />}
      <ul class="waiting-list">
        {items.map((item) =>
          showsAll.value || open.has(item.id) ? (
            <Shown key={item.id} item={item} />
          ) : (
            (isSelecting || lines.has(item.id)) && (
              <Line
                key={item.id}
                item={item}
                onOpen={() => {
                  chosen.value = new Set([...chosen.value, item.id]);
                }}
              />
            )
          ),
        )}
        {!showsAll.value && !isSelecting && hidden > 0 && (
          <li class="waiting-rest muted">and {hidden} more</li>
        )}
      </ul>
    </section>
  );
}

const stopSelecting = (): void => {
  selection.value = undefined;
};
