import type { SpawnOptions } from '@agent-relay/sdk';
import { computed, signal } from '@preact/signals';
import { relayNow, welcome } from '../connection/connection.ts';
import { channels, status } from '../model/project.ts';
import { DialogForm, Field } from '../parts/dialog-form.tsx';
import { tell } from '../parts/notices.tsx';
import type { Problem } from '../parts/trouble.tsx';
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
  const started = await relayNow().workers.spawn(name, textOf(values, 'cli'), {
    ...options,
    onProgress: tell,
  });
  tell(started.status === 'ready' ? `Started ${name}.` : `Starting ${name}: ${started.reason?.text ?? ''}`);
  location.hash = linkTo(welcome.value?.project ?? '', 'agent', started.name);
}

/** Those that can be started first. */
const clis = computed(() => {
  const known = status.value?.clis ?? [];
  const namesOf = (installed: boolean) =>
    known.filter((cli) => cli.installed === installed).map(({ name }) => name);
  return { installed: namesOf(true), missing: namesOf(false) };
});

const Clis = ({ label, names }: { label: string; names: string[] }) =>
  names.length > 0 ? (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </optgroup>
  ) : null;

/** The field in which an error can be corrected. */
const FIELDS: Record<string, string> = {
  ...{
    InvalidName: 'name',
    ReservedName: 'name',
    LookAlikeName: 'name',
    NameTaken: 'name',
    NameInUse: 'name',
  },
  ...{ UnknownCli: 'cli', CommandNotFound: 'cli' },
  ...{ BodyTooLarge: 'task', EmptyBody: 'task' },
  ...{ NoWorktree: 'cwd', SetupFailed: 'setup', ChannelNotFound: 'channels', ChannelArchived: 'channels' },
};
const fieldOf = ({ code = '', details }: Problem): string | undefined => FIELDS[code] ?? details?.field;

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
    fieldOf={fieldOf}
  >
    <Field name="name" label="Name">
      {(facts) => (
        <input {...facts} required pattern="[A-Za-z0-9][A-Za-z0-9_\-]*" maxLength={64} autocomplete="off" />
      )}
    </Field>
    <Field name="cli" label="CLI">
      {(facts) => (
        <select {...facts} required>
          <Clis label="Installed" names={clis.value.installed} />
          <Clis label="Not found on the daemon’s machine" names={clis.value.missing} />
        </select>
      )}
    </Field>
    <Field name="task" label="Task">
      {(facts) => <textarea {...facts} rows={4} placeholder="What it should do" />}
    </Field>
    <details class="more-options">
      <summary>More options</summary>
      <Field name="model" label="Model">
        {(facts) => <input {...facts} autocomplete="off" placeholder="Default of the CLI" />}
      </Field>
      <Field name="cwd" label="Directory">
        {(facts) => <input {...facts} autocomplete="off" placeholder="The directory of the project" />}
      </Field>
      <label class="check">
        <input name="worktree" type="checkbox" />
        Give it its own git worktree and branch
      </label>
      <Field name="setup" label="Command to run in the new worktree first">
        {(facts) => <input {...facts} autocomplete="off" placeholder="npm ci" />}
      </Field>
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
      <Field name="args" label="Arguments for the CLI">
        {(facts) => <textarea {...facts} rows={2} placeholder="One per line" />}
      </Field>
    </details>
    <p class="muted small">It runs on the daemon’s machine.</p>
  </DialogForm>
);
