import { useSignal } from '@preact/signals';
import { BusyButton } from './busy-button.tsx';

/** A button for something that cannot be undone: it asks once more. */
export function ConfirmButton({
  children,
  question,
  label,
  onPress,
}: {
  children: string;
  /** What the button says when it asks. */
  question: string;
  /** For screen readers, where the words on the button are not enough. */
  label?: string;
  onPress: () => Promise<unknown>;
}) {
  const isSure = useSignal(false);
  if (isSure.value)
    return (
      <BusyButton
        kind="danger"
        onPress={async () => {
          await onPress();
          isSure.value = false;
        }}
      >
        {question}
      </BusyButton>
    );
  return (
    <button
      type="button"
      aria-label={label}
      onClick={() => {
        isSure.value = true;
      }}
    >
      {children}
    </button>
  );
}
