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
  const press = async ({ detail }: MouseEvent) => {
    // The second press of a double click confirms nothing.
    if (detail > 1) return;
    const isConfirmed = isSure.value;
    if (isConfirmed) await onPress();
    isSure.value = !isConfirmed;
  };
  // One button in both states: it keeps the focus.
  return (
    <BusyButton
      kind={isSure.value ? 'danger' : kind}
      label={isSure.value ? question : label}
      onPress={press}
      {...(isSure.value && {
        onLeave: () => {
          isSure.value = false;
        },
      })}
    >
      {isSure.value ? question : children}
    </BusyButton>
  );
}
