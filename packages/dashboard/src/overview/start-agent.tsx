import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { tell } from '../parts/notices.tsx';
import { linkTo } from '../routes.ts';

const CLIS = ['claude', 'codex', 'gemini', 'opencode', 'droid'];

const isWanted = signal(false);

/** Goes to the form, from anywhere. */
export function openStartAgent(): void {
  location.hash = linkTo(welcome.value?.project ?? '');
  isWanted.value = true;
}

/** A form that starts an agent in a terminal of its own, as `agent-relay spawn` does. */
export function StartAgent() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isBusy = useSignal(false);
  useEffect(() => {
    if (!isWanted.value) return;
    isWanted.value = false;
    dialog.current?.showModal();
  }, [isWanted.value]);
  const start = async (form: HTMLFormElement) => {
    const values = new FormData(form);
    const name = String(values.get('name'));
    const task = String(values.get('task')).trim();
    isBusy.value = true;
    try {
      const started = await relay().workers.spawn(
        name,
        String(values.get('cli')),
        task === '' ? {} : { task },
      );
      dialog.current?.close();
      form.reset();
      tell(
        started.status === 'ready'
          ? `${name} is at work.`
          : `${name} is starting. ${started.reason?.text ?? ''}`,
      );
      location.hash = linkTo(welcome.value?.project ?? '', 'agent', started.name);
    } catch (error) {
      tell(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button type="button" class="push-right" onClick={() => dialog.current?.showModal()}>
        Start an agent
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="start-agent">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void start(event.currentTarget);
          }}
        >
          <h2 id="start-agent">Start an agent</h2>
          <label class="field">
            Name
            <input
              name="name"
              required
              pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
              maxLength={64}
              autocomplete="off"
            />
          </label>
          <label class="field">
            CLI
            <input name="cli" list="clis" required value="claude" autocomplete="off" />
            <datalist id="clis">
              {CLIS.map((cli) => (
                <option key={cli} value={cli} />
              ))}
            </datalist>
          </label>
          <label class="field">
            Task
            <textarea name="task" rows={4} placeholder="What it should do" />
          </label>
          <p class="muted small">It runs on the machine of the daemon, in the directory of the project.</p>
          <div class="buttons">
            <button type="submit" class="primary" aria-busy={isBusy.value} disabled={isBusy.value}>
              {isBusy.value ? 'Starting…' : 'Start'}
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
