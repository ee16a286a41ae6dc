import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { relay } from '../connection/connection.ts';
import { tell } from '../parts/notices.tsx';

/** A form that adds a server by its address. */
export function AddServer({ onAdded }: { onAdded: () => Promise<void> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isBusy = useSignal(false);
  const add = async (form: HTMLFormElement) => {
    const values = new FormData(form);
    isBusy.value = true;
    try {
      const name = String(values.get('name'));
      const { health, tools, error } = await relay().servers.add(name, String(values.get('url')).trim());
      dialog.current?.close();
      form.reset();
      tell(`Added ${name}: ${error ?? `${health}, ${tools} ${tools === 1 ? 'tool' : 'tools'}`}.`);
      await onAdded();
    } catch (error) {
      tell(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button type="button" class="push-right" onClick={() => dialog.current?.showModal()}>
        Add a server
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="add-server">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void add(event.currentTarget);
          }}
        >
          <h2 id="add-server">Add an MCP server</h2>
          <label class="field">
            Name
            <input name="name" required pattern="[A-Za-z0-9_.\-]+" maxLength={64} autocomplete="off" />
          </label>
          <label class="field">
            Address
            <input name="url" required placeholder="https://…, wss://…" inputMode="url" autocomplete="off" />
          </label>
          <p class="muted small">
            It is saved in the first file that lists servers. To add a program, edit that file.
          </p>
          <div class="buttons">
            <button type="submit" class="primary" disabled={isBusy.value} aria-busy={isBusy.value}>
              {isBusy.value ? 'Connecting…' : 'Add'}
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
