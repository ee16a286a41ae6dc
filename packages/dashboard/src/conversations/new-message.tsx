import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { welcome } from '../connection/connection.ts';
import { agents } from '../model/project.ts';
import { Icon } from '../parts/icon.tsx';
import { linkTo } from '../routes.ts';
import { candidatesFor } from './completion.ts';

/** Chooses whom to write to: one, or several as a group. */
export function NewMessage() {
  const dialog = useRef<HTMLDialogElement>(null);
  const words = useSignal('');
  const chosen = useSignal<string[]>([]);
  const me = welcome.value?.agent?.name;
  const others = [...agents.value.keys()].filter((name) => name !== me && !chosen.value.includes(name));
  const close = () => {
    dialog.current?.close();
    words.value = '';
    chosen.value = [];
  };
  const open = () => {
    const subject = chosen.value.toSorted().join(',');
    close();
    location.hash = linkTo(welcome.value?.project ?? '', 'direct', subject);
  };
  return (
    <>
      <button
        type="button"
        class="quiet add"
        aria-label="New message"
        title="New message"
        onClick={() => dialog.current?.showModal()}
      >
        <Icon name="plus" size={14} />
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="new-message">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const [first] = candidatesFor(words.value, others);
            if (words.value !== '' && first !== undefined) {
              chosen.value = [...chosen.value, first];
              words.value = '';
            } else if (chosen.value.length > 0) open();
          }}
        >
          <h2 id="new-message">New message</h2>
          <p class="muted small">Choose one agent, or several for a group.</p>
          {chosen.value.length > 0 && (
            <p class="chips">
              {chosen.value.map((name) => (
                <span key={name} class="chip">
                  {name}
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Remove ${name}`}
                    onClick={() => {
                      chosen.value = chosen.value.filter((one) => one !== name);
                    }}
                  >
                    <Icon name="close" size={12} />
                  </button>
                </span>
              ))}
            </p>
          )}
          <label class="field">
            Name
            <input
              value={words.value}
              autocomplete="off"
              onInput={({ currentTarget }) => {
                words.value = currentTarget.value;
              }}
            />
          </label>
          <div class="chips">
            {candidatesFor(words.value, others).map((name) => (
              <button
                key={name}
                type="button"
                aria-label={`Add ${name}`}
                onClick={() => {
                  chosen.value = [...chosen.value, name];
                  words.value = '';
                }}
              >
                {name}
              </button>
            ))}
          </div>
          <div class="buttons">
            <button type="button" class="primary" disabled={chosen.value.length === 0} onClick={open}>
              Write
            </button>
            <button type="button" class="quiet" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
