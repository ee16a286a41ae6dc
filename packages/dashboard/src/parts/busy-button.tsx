import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { phase } from '../connection/connection.ts';
import { tell } from './notices.tsx';

/** What a button says while it is off. */
export const OFF_WHILE_AWAY = 'Off until the daemon answers again.';

/** A button that asks the daemon for something: off while it does, and while the daemon is away; shows errors. */
export function BusyButton({
  onPress,
  kind = 'plain',
  children,
  label,
  isReady = true,
  onLeave,
}: {
  onPress: (event: MouseEvent) => Promise<unknown>;
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  children: ComponentChildren;
  /** For screen readers, if the label is not enough. */
  label?: string | undefined;
  /** Otherwise presses are ignored; the button keeps the focus. */
  isReady?: boolean;
  /** The person moves on, or presses Escape. */
  onLeave?: () => void;
}) {
  const busy = useSignal(false);
  const isAway = phase.value !== 'live';
  const isOff = !isReady || isAway;
  const press = async (event: MouseEvent) => {
    if (busy.value || isOff) return;
    busy.value = true;
    try {
      await onPress(event);
    } catch (error) {
      tell(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <button
      type="button"
      class={kind}
      onClick={press}
      onBlur={onLeave}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !onLeave) return;
        event.stopPropagation();
        onLeave();
      }}
      aria-busy={busy.value}
      aria-disabled={isOff}
      title={isAway ? OFF_WHILE_AWAY : undefined}
      aria-label={label}
    >
      {children}
    </button>
  );
}
