import { isRelayError } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { Icon } from './icon.tsx';

interface Notice {
  id: number;
  text: string;
  next: string | undefined;
  isError: boolean;
  undo: (() => Promise<unknown>) | undefined;
}

const notices = signal<Notice[]>([]);
const SHOWN_MS = 8_000;
let last = 0;

/** Shows a message, or an error with its next step, for a while. `undo` reverts the action it reports. */
export function tell(what: unknown, undo?: () => Promise<unknown>): void {
  const id = ++last;
  const isError = what instanceof Error;
  const text = isError ? what.message : String(what);
  const next = isRelayError(what) ? what.next : undefined;
  notices.value = [...notices.value.slice(-2), { id, text, next, isError, undo }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, text, next, isError, undo }) => (
      <div key={id} class={isError ? 'notice is-error' : 'notice'}>
        <Icon name={isError ? 'alert' : 'check'} />
        <p>
          {text}
          {next && <span class="muted"> {next}</span>}
        </p>
        {undo && (
          <button
            type="button"
            class="quiet undo"
            onClick={() => {
              dismiss(id);
              undo().catch(tell);
            }}
          >
            Undo
          </button>
        )}
        <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
          <Icon name="close" size={14} />
        </button>
      </div>
    ))}
  </div>
);
