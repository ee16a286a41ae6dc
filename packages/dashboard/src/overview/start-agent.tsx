import type { SpawnOptions } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { relay, welcome } from '../connection/connection.ts';
import { channels, status } from '../model/project.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo } from '../routes.ts';

const isWanted = signal(false);

/** Opens the form from anywhere. */
export function openStartAgent(): void {
  location.hash = linkTo(welcome.value?.project ?? '');
  isWanted.value = true;
}

const textOf = (values: FormData, name: string): string => String(values.get(name) ?? '').trim();
const wordsOf = (text: string): string[] => text.split(/[,\s]+/).filter((word) => word !== '');

/** What was filled in; the rest is left to the daemon. */
function optionsFrom(values: FormData): SpawnOptions {
  const filled = ['task', 'model', 'cwd', 'setup']
    .map((name) => [name, textOf(values, name)] as const)
    .filter(([, text]) => text !== '');
  const args = textOf(values, 'args').split('\n');
  return {
    ...Object.fromEntries(filled),
    ...(values.has('worktree') ? { worktree: true } : {}),
    channels: wordsOf(textOf(values, 'channels')).map((name) => name.replace(/^#/, '')),
    args: args.map((line) => line.trim()).filter((line) => line !== ''),
  };
}

async function start(values: FormData): Promise<void> {
  const name = textOf(values, 'name');
  const options = optionsFrom(values);
  const started = await relay().workers.spawn(name, textOf(values, 'cli'), { ...options, onProgress: tell });
  tell(
    started.status === 'ready' ? `${name} is working.` : `${name} is starting. ${started.reason?.text ?? ''}`,
  );
  location.hash = linkTo(welcome.value?.project ?? '', 'agent', started.name);
}

/** A form that starts an agent in its own terminal, like `agent-relay spawn`. */
export const StartAgent = () => (
  <DialogForm
    title="Start an agent"
    wanted={isWanted}
    opener={(open) => (
      <button type="button" class="push-right" onClick={open}>
        Start an agent
      </button>
    )}
    submit={{ text: 'Start', busy: 'Starting…' }}
    onSubmit={start}
  >
    <label class="field">
      Name
      <input name="name" required pattern="[A-Za-z0-9][A-Za-z0-9_\-]*" maxLength={64} autocomplete="off" />
    </label>
    <label class="field">
      CLI
      <input name="cli" list="clis" required defaultValue="claude" autocomplete="off" />
      <datalist id="clis">
        {(status.value?.clis ?? []).map((cli) => (
          <option key={cli} value={cli} />
        ))}
      </datalist>
    </label>
    <label class="field">
      Task
      <textarea name="task" rows={4} placeholder="What it should do" />
    </label>
    <details class="more-options">
      <summary>More options</summary>
      <label class="field">
        Model
        <input name="model" autocomplete="off" placeholder="Default of the CLI" />
      </label>
      <label class="field">
        Directory
        <input name="cwd" autocomplete="off" placeholder="The directory of the project" />
      </label>
      <label class="check">
        <input name="worktree" type="checkbox" />
        Give it its own git worktree and branch
      </label>
      <label class="field">
        Command to run in the new worktree first
        <input name="setup" autocomplete="off" placeholder="npm ci" />
      </label>
      <label class="field">
        Channels to join
        <input name="channels" list="channels-to-join" autocomplete="off" placeholder="release, bugs" />
        <datalist id="channels-to-join">
          {channels.value
            .filter(({ archivedAt }) => archivedAt === undefined)
            .map(({ name }) => (
              <option key={name} value={name.slice(1)} />
            ))}
        </datalist>
      </label>
      <label class="field">
        Arguments for the CLI
        <textarea name="args" rows={2} placeholder="One per line" />
      </label>
    </details>
    <p class="muted small">It runs on the daemon’s machine.</p>
  </DialogForm>
);
