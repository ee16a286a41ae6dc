import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef } from 'preact/hooks';
import { phase } from '../connection/connection.ts';
import { OFF_WHILE_AWAY } from './busy-button.tsx';
import { type Problem, Trouble } from './trouble.tsx';

/** Why the form was refused, and which of its fields that is about. */
const Refusal = createContext<{ problem: Problem; field: string | undefined } | undefined>(undefined);

/**
 * A form in a dialog, and the button that opens it. Errors of `onSubmit` stand at their field, or above the buttons, and the
 * form is kept; otherwise the dialog closes and the form is cleared.
 */
export function DialogForm({
  title,
  opener,
  wanted,
  submit,
  canSubmit = true,
  onSubmit,
  fieldOf = () => undefined,
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
  /** The name of the field that an error is about. */
  fieldOf?: (problem: Problem) => string | undefined;
  onClosed?: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isBusy = useSignal(false);
  const refusal = useSignal<{ problem: Problem; field: string | undefined } | undefined>(undefined);
  const isAway = phase.value !== 'live';
  const open = () => dialog.current?.showModal();
  useEffect(() => {
    if (!wanted?.value) return;
    wanted.value = false;
    open();
  }, [wanted?.value]);
  const send = async (form: HTMLFormElement) => {
    if (isBusy.value || isAway) return;
    isBusy.value = true;
    refusal.value = undefined;
    try {
      await onSubmit(new FormData(form));
      dialog.current?.close();
      form.reset();
    } catch (error) {
      const problem = error as Problem;
      const field = fieldOf(problem);
      refusal.value = { problem, field };
      const place = field === undefined ? undefined : form.elements.namedItem(field);
      if (!(place instanceof HTMLElement)) return;
      place.closest('details')?.setAttribute('open', '');
      place.focus();
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      {opener(open)}
      <dialog
        ref={dialog}
        class="dialog"
        aria-labelledby={heading}
        onClose={() => {
          refusal.value = undefined;
          onClosed?.();
        }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send(event.currentTarget);
          }}
        >
          <h2 id={heading}>{title}</h2>
          <Refusal.Provider value={refusal.value}>{children}</Refusal.Provider>
          <div role="alert">
            {refusal.value && refusal.value.field === undefined && (
              <Trouble problem={refusal.value.problem} />
            )}
          </div>
          <div class="buttons">
            <button
              type="submit"
              class="primary"
              disabled={isBusy.value || !canSubmit || isAway}
              title={isAway ? OFF_WHILE_AWAY : undefined}
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

/** A field with its label; an error about it stands below. `children` gets what connects the two. */
export function Field({
  name,
  label,
  children,
}: {
  name: string;
  label: string;
  children: (facts: {
    id: string;
    name: string;
    'aria-invalid': boolean;
    'aria-describedby': string | undefined;
  }) => ComponentChildren;
}) {
  const id = useId();
  const refusal = useContext(Refusal);
  const problem = refusal?.field === name ? refusal.problem : undefined;
  return (
    <div class="field">
      <label htmlFor={`${id}-control`}>{label}</label>
      {children({
        id: `${id}-control`,
        name,
        'aria-invalid': problem !== undefined,
        'aria-describedby': problem && id,
      })}
      <div id={id} role="alert">
        {problem && <Trouble problem={problem} />}
      </div>
    </div>
  );
}
