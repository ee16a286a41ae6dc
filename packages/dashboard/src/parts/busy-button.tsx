import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { tell } from './notices.tsx';

/** A button for something that takes a moment and may fail: it cannot be pressed twice, and says what went wrong. */
export function BusyButton({
  onPress,
  kind = 'plain',
  children,
  label,
}: {
  onPress: () => Promise<unknown>;
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  children: ComponentChildren;
  /** For screen readers, where the words on the button are not enough. */
  label?: string;
}) {
  const busy = useSignal(false);
  const press = async () => {
    if (busy.value) return;
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
    <button type="button" class={kind} onClick={press} aria-busy={busy.value} aria-label={label}>
      {children}
    </button>
  );
}
