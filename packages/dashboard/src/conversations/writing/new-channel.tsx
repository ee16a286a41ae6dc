import { relay, welcome } from '../../connection/connection.ts';
import { model } from '../../model/current.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { linkTo } from '../../routes.ts';

async function create(values: FormData): Promise<void> {
  const topic = String(values.get('topic')).trim();
  const { name } = await relay().channels.create(String(values.get('name')), topic === '' ? {} : { topic });
  await model.value?.readChannels();
  location.hash = linkTo(welcome.value?.project ?? '', 'channel', name.slice(1));
}

/** A form that creates a channel and joins it. */
export const NewChannel = () => (
  <DialogForm
    title="New channel"
    opener={(open) => (
      <button type="button" class="quiet add" aria-label="New channel" title="New channel" onClick={open}>
        <Icon name="plus" size={14} />
      </button>
    )}
    submit={{ text: 'Create' }}
    onSubmit={create}
  >
    <label class="field">
      Name
      <input name="name" required maxLength={65} placeholder="release" autocomplete="off" />
    </label>
    <label class="field">
      Topic
      <input name="topic" maxLength={256} autocomplete="off" />
    </label>
  </DialogForm>
);
