import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { tell } from './notices.tsx';

/** A button for an asynchronous action: disabled while it runs; shows errors. */
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
  const press = async (event: MouseEvent) => {
    if (busy.value || !isReady) return;
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
      aria-disabled={!isReady}
      aria-label={label}
    >
      {children}
    </button>
  );
}
