import { safeLine } from '@agent-relay/protocol';
import { useSignal } from '@preact/signals';
import { Icon } from '../../../parts/icon.tsx';
import type { Group, SingleItem, WaitingItem } from '../waiting-item.ts';
import { contentOf } from '../waiting-list.ts';
import { Held } from './held-item.tsx';
import { Choice, ItemFrame } from './item-frame.tsx';
import { Consent, Permission } from './permission-items.tsx';
import { Question } from './question-item.tsx';
import { ICONS, Stopped } from './stopped-item.tsx';

/** An item in full, with the buttons that help. `shown` changes with anything that moves or replaces it. */
export const Shown = ({ item, shown }: { item: WaitingItem; shown?: string }) =>
  item.kind === 'group' ? <Together group={item} /> : <Single item={item} shown={shown ?? contentOf(item)} />;

function Single({ item, shown }: { item: SingleItem; shown: string }) {
  switch (item.kind) {
    case 'prompt':
      return <Permission item={item} prompt={item.prompt} shown={shown} />;
    case 'consent':
      return <Consent item={item} question={item.question} caller={item.caller} shown={shown} />;
    case 'question':
    case 'mention':
      return <Question item={item} question={item.question} />;
    case 'stopped':
      return <Stopped item={item} stopped={item.stopped} />;
    case 'held':
      return <Held item={item} messages={item.messages} />;
  }
}

/** Several with the same reason: their number, and on demand each of them. */
function Together({ group }: { group: Group }) {
  const isOpen = useSignal(false);
  const { members, title, text } = group;
  const [first] = members;
  const icon = first?.kind === 'stopped' ? (ICONS[first.stopped.code] ?? 'alert') : 'loop';
  return (
    <>
      <ItemFrame
        item={group}
        icon={icon}
        tone={first?.kind === 'held' ? 'hold' : 'stop'}
        head={title}
        advice={safeLine(text)}
        isShort
      >
        <div class="buttons">
          <button
            type="button"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isOpen.value ? 'Show less' : `Show each of ${members.length}`}
          </button>
        </div>
      </ItemFrame>
      {isOpen.value && members.map((member) => <Shown key={member.id} item={member} />)}
    </>
  );
}

/** A collapsed item: its title, and a button to open it. */
export const Line = ({ item, onOpen }: { item: WaitingItem; onOpen: () => void }) => (
  <li class="waiting-line" data-row data-item={item.id}>
    <Choice item={item} />
    <button type="button" class="quiet" aria-expanded="false" onClick={onOpen}>
      <span class="clip">
        <strong>{item.title}</strong> {safeLine(item.text)}
      </span>
      <Icon name="down" />
    </button>
  </li>
);

/** What has ended while the person points at the list: it says so, and keeps its place. */
export const Ended = ({ item, height }: { item: WaitingItem; height: number | undefined }) => (
  <li class="waiting-line is-ended" style={{ height: height === undefined ? 'auto' : `${height}px` }}>
    <p class="muted">
      <strong>{item.title}</strong>{' '}
      {item.kind === 'consent' ? 'This call has ended.' : 'It asks for this no longer.'}
    </p>
  </li>
);
