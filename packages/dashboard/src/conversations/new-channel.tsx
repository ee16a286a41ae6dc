import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo } from '../routes.ts';

/** A form that makes a channel, which the person is then in. */
export function NewChannel() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isBusy = useSignal(false);
  const create = async (form: HTMLFormElement) => {
    const values = new FormData(form);
    const topic = String(values.get('topic')).trim();
    isBusy.value = true;
    try {
      const { name } = await relay().channels.create(
        String(values.get('name')),
        topic === '' ? {} : { topic },
      );
      dialog.current?.close();
      form.reset();
      await model.value?.readChannels();
      location.hash = linkTo(welcome.value?.project ?? '', 'channel', name.slice(1));
    } catch (error) {
      tell(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button
        type="button"
        class="quiet add"
        aria-label="New channel"
        title="New channel"
        onClick={() => dialog.current?.showModal()}
      >
        <Icon name="plus" size={14} />
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="new-channel">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void create(event.currentTarget);
          }}
        >
          <h2 id="new-channel">New channel</h2>
          <label class="field">
            Name
            <input name="name" required maxLength={65} placeholder="release" autocomplete="off" />
          </label>
          <label class="field">
            Topic
            <input name="topic" maxLength={256} autocomplete="off" />
          </label>
          <div class="buttons">
            <button type="submit" class="primary" disabled={isBusy.value}>
              Create
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
