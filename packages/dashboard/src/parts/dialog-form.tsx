import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { tell } from './notices.tsx';

/**
 * A form in a dialog, and the button that opens it. Errors of `onSubmit` are shown and the form is kept; otherwise
 * the dialog closes and the form is cleared.
 */
export function DialogForm({
  title,
  opener,
  wanted,
  submit,
  canSubmit = true,
  onSubmit,
  onClosed,
  children,
}: {
  title: string;
  opener: (open: () => void) => ComponentChildren;
  /** Opens it from elsewhere, when it becomes true. */
  wanted?: Signal<boolean>;
  /** The label of the button, and its label while submitting. */
  submit: { text: string; busy?: string };
  canSubmit?: boolean;
  onSubmit: (values: FormData) => Promise<void> | void;
  onClosed?: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isBusy = useSignal(false);
  const open = () => dialog.current?.showModal();
  useEffect(() => {
    if (!wanted?.value) return;
    wanted.value = false;
    open();
  }, [wanted?.value]);
  const send = async (form: HTMLFormElement) => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await onSubmit(new FormData(form));
      dialog.current?.close();
      form.reset();
    } catch (error) {
      tell(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      {opener(open)}
      <dialog ref={dialog} class="dialog" aria-labelledby={heading} onClose={onClosed}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send(event.currentTarget);
          }}
        >
          <h2 id={heading}>{title}</h2>
          {children}
          <div class="buttons">
            <button
              type="submit"
              class="primary"
              disabled={isBusy.value || !canSubmit}
              aria-busy={isBusy.value}
            >
              {isBusy.value ? (submit.busy ?? submit.text) : submit.text}
            </button>
            <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
