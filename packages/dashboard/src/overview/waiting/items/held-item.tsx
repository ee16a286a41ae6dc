import { safeLine } from '@agent-relay/protocol';
import type { HeldInfo } from '@agent-relay/sdk';
import { BusyButton } from '../../../parts/busy-button.tsx';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { tell } from '../../../parts/notices.tsx';
import { counted, settleHeld } from '../deeds.ts';
import type { WaitingItem } from '../waiting-item.ts';
import { ItemFrame, NameLink } from './item-frame.tsx';

const SHOWN = 3;

/** Messages that the loop governor holds. */
export function Held({ item, messages }: { item: WaitingItem; messages: HeldInfo[] }) {
  const [first] = messages;
  if (!first) return null;
  const ids = messages.map(({ id }) => id);
  const settle = async (how: 'release' | 'discard') => tell(await settleHeld(ids, how));
  return (
    <ItemFrame
      item={item}
      icon="loop"
      tone="hold"
      head={
        <>
          <NameLink name={first.from} /> → <NameLink name={first.to} />: {counted(messages.length, 'message')}{' '}
          held
        </>
      }
      notes={[first.reason]}
    >
      <ul class="held">
        {messages.slice(0, SHOWN).map(({ id, content }) => (
          <li key={id}>{safeLine(content)}</li>
        ))}
        {messages.length > SHOWN && (
          <li class="muted">and {(messages.length - SHOWN).toLocaleString()} more</li>
        )}
      </ul>
      <div class="buttons">
        <BusyButton onPress={() => settle('release')}>
          Deliver {counted(messages.length, 'message')}
        </BusyButton>
        <ConfirmButton
          kind="quiet"
          question={`Discard ${messages.length === 1 ? 'it' : 'them'}?`}
          onPress={() => settle('discard')}
        >
          Discard
        </ConfirmButton>
      </div>
    </ItemFrame>
  );
}
