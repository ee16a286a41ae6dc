import type { SearchHit } from '@agent-relay/sdk';
import { signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo } from '../routes.ts';
import { readOwners } from '../tools/tool.ts';
import { commandsFor, type PaletteCommand } from './commands.ts';

const MOST = 12;
const MOST_MESSAGES = 5;
const WAIT_MS = 200;
const MOST_LETTERS = 120;

export const isPaletteOpen = signal(false);

/** Finds places and commands by name: Ctrl+K, or ⌘K. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  // Synchronously: keys typed right after Ctrl+K belong here.
  useLayoutEffect(() => {
    if (!isPaletteOpen.value) return;
    dialog.current?.showModal();
    // The tools may not have been loaded yet.
    readOwners().catch(tell);
  }, [isPaletteOpen.value]);
  if (!isPaletteOpen.value) return null;
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Command palette"
      onClose={() => {
        isPaletteOpen.value = false;
      }}
      onPointerDown={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <Choice close={() => dialog.current?.close()} />
    </dialog>
  );
}

function Choice({ close }: { close: () => void }) {
  const query = useSignal('');
  const at = useSignal(0);
  const hits = useMessages(query.value);
  const list = useRef<HTMLDivElement>(null);
  const find = () => [...commandsFor(query.value).slice(0, MOST), ...hits];
  const found = find();
  const chosen = Math.min(at.value, found.length - 1);
  const run = (command: PaletteCommand | undefined) => {
    close();
    command?.run();
  };
  const keyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      at.value = (chosen + step + found.length) % Math.max(found.length, 1);
      list.current?.children[at.value]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      // What was typed last may not be drawn yet.
      const current = find();
      run(current[Math.min(at.value, current.length - 1)]);
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        class="palette-field"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Command palette"
        placeholder="Go to an agent, channel or tool, find a message, or do something"
        autocomplete="off"
        value={query.value}
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={keyDown}
      />
      <div class="palette-list" id="palette-list" role="listbox" aria-label="Matches" ref={list}>
        {found.map((command, index) => (
          <div
            key={command.id}
            id={`palette-${index}`}
            class="palette-item"
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
            onKeyDown={({ key }) => key === 'Enter' && run(command)}
            onMouseMove={() => {
              at.value = index;
            }}
          >
            <Icon name={command.icon} />
            <span class="palette-text">{command.text}</span>
            <span class="muted palette-note">{command.note}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="muted palette-none">No matches.</p>}
      <p class="muted palette-foot">
        <kbd>↑</kbd> <kbd>↓</kbd> to choose <kbd>Enter</kbd> to go <kbd>Esc</kbd> to close
      </p>
    </>
  );
}

/** The start of a message, in one line. */
function startOf(content: string): string {
  const [...letters] = content.replace(/\s+/g, ' ').trim();
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS).join('')}…` : letters.join('');
}

/** Searches messages a moment after the last key. */
function useMessages(query: string): PaletteCommand[] {
  const hits = useSignal<SearchHit[]>([]);
  useEffect(() => {
    let isOver = false;
    const show = (found: SearchHit[]) => {
      if (!isOver) hits.value = found;
    };
    const timer = setTimeout(() => {
      if (query.trim().length < 3) return show([]);
      // An incomplete phrase is no valid query: show no results.
      relay()
        .search(query, { limit: MOST_MESSAGES })
        .then(show, () => show([]));
    }, WAIT_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [query]);
  return hits.value.map(({ message }) => ({
    id: `message ${message.id}`,
    text: startOf(message.content),
    note: `${message.from} → ${message.to}`,
    icon: 'dialog',
    run: () => {
      location.hash = linkTo(welcome.value?.project ?? '', 'message', message.id);
    },
  }));
}
