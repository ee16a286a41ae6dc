import type { ComponentChildren } from 'preact';
import { welcome } from '../../../connection/connection.ts';
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { Ago } from '../../../parts/time.tsx';
import { linkTo } from '../../../routes.ts';
import { isSelectable, selection, toggle } from '../selection.ts';
import type { WaitingItem } from '../waiting-item.ts';

/** Selects the item. Hidden until the person selects: its key begins that. */
export const Choice = ({ item }: { item: WaitingItem }) =>
  isSelectable(item) ? (
    <label class="choice-box" hidden={selection.value === undefined}>
      <input
        type="checkbox"
        aria-label={`Select: ${item.title}`}
        aria-keyshortcuts="x"
        checked={selection.value?.has(item.id) ?? false}
        onChange={() => toggle(item)}
      />
    </label>
  ) : null;

/** What all items have in common. */
export function ItemFrame({
  item,
  icon,
  tone,
  head,
  notes = [],
  advice,
  isShort = false,
  children,
}: {
  item: WaitingItem;
  icon: IconName;
  tone: 'allow' | 'ask' | 'stop' | 'hold';
  head: ComponentChildren;
  /** After the head, less prominent; its age is the first of them. */
  notes?: string[];
  /** What the person can do. */
  advice?: string | undefined;
  /** Nothing to read: the buttons go beside the head if there is room. */
  isShort?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <li
      class={`waiting-item is-${tone}`}
      data-row
      data-item={item.id}
      tabIndex={-1}
      onKeyDown={(event) => {
        const { key, target, currentTarget } = event;
        if (key === 'Escape') currentTarget.focus();
        if (key !== 'Enter' || target !== currentTarget) return;
        currentTarget.querySelector<HTMLElement>(':is(.answer, .buttons) > *')?.focus();
        // The control that has the focus now would take the key as its own.
        event.preventDefault();
      }}
    >
      <Choice item={item} />
      {!(selection.value && isSelectable(item)) && (
        <span class="waiting-icon">
          <Icon name={icon} />
        </span>
      )}
      <div class={isShort ? 'waiting-body is-short' : 'waiting-body'}>
        <div class="waiting-head">
          <p>
            {head}
            <span class="muted">
              {' '}
              · <Ago time={item.since} />
              {notes.map((note) => ` · ${note}`)}
            </span>
          </p>
          {advice && <p class="muted">{advice}</p>}
        </div>
        {children}
      </div>
    </li>
  );
}

/** Leads to an agent, or to a channel. */
export const NameLink = ({ name }: { name: string }) => {
  const [place, subject] = name.startsWith('#')
    ? (['channel', name.slice(1)] as const)
    : (['agent', name] as const);
  return (
    <a class="name" href={linkTo(welcome.value?.project ?? '', place, subject)}>
      {name}
    </a>
  );
};
