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
}: {
  onPress: () => Promise<unknown>;
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  children: ComponentChildren;
  /** For screen readers, if the label is not enough. */
  label?: string;
  /** Otherwise presses are ignored; the button keeps the focus. */
  isReady?: boolean;
}) {
  const busy = useSignal(false);
  const press = async () => {
    if (busy.value || !isReady) return;
    busy.value = true;
    try {
      await onPress();
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
      aria-busy={busy.value}
      aria-disabled={!isReady}
      aria-label={label}
    >
      {children}
    </button>
  );
}
