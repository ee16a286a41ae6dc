import { useSignal } from '@preact/signals';
import { BusyButton } from './busy-button.tsx';

/** A button that asks for confirmation, for actions that cannot be undone. */
export function ConfirmButton({
  children,
  question,
  label,
  kind = 'plain',
  onPress,
}: {
  children: string;
  /** The label of the confirmation. */
  question: string;
  /** For screen readers, if the label is not enough. */
  label?: string;
  kind?: 'plain' | 'quiet';
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
      class={kind}
      aria-label={label}
      onClick={() => {
        isSure.value = true;
      }}
    >
      {children}
    </button>
  );
}
