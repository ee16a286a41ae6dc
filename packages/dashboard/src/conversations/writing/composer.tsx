import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { relay, welcome } from '../../connection/connection.ts';
import { agents, channels } from '../../model/project.ts';
import { useDraft } from '../../parts/drafts.ts';
import { Icon } from '../../parts/icon.tsx';
import { tell } from '../../parts/notices.tsx';
import { sizeText } from '../message/attachment.tsx';
import { candidatesFor, completed, unfinishedAt } from './completion.ts';

type Send = (content: string, options: { attachments?: string[] }) => Promise<unknown>;

/** The input for messages. Completes names and channels; Enter sends. */
export function Composer({
  label,
  place = label,
  send,
}: {
  label: string;
  /** Where it is in the project, if the label does not say so: the draft stays there. */
  place?: string;
  send: Send;
}) {
  const text = useDraft(`${welcome.value?.project} ${place}`);
  const cursor = useSignal(0);
  const chosen = useSignal(0);
  const isClosed = useSignal(false);
  const files = useSignal<File[]>([]);
  const isBusy = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  /** The current value: keys may arrive faster than the page renders. */
  const completion = () => {
    const unfinished = isClosed.value ? undefined : unfinishedAt(text.value, cursor.value);
    const names =
      unfinished?.mark === '#' ? channels.value.map(({ name }) => name.slice(1)) : [...agents.value.keys()];
    const candidates = unfinished ? candidatesFor(unfinished.word, names) : [];
    return { unfinished, candidates, at: Math.min(chosen.value, candidates.length - 1) };
  };
  const { unfinished, candidates, at } = completion();

  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, 220)}px`;
  }, [text.value]);

  const complete = (name: string) => {
    const word = completion().unfinished;
    const element = field.current;
    if (!word || !element) return;
    const done = completed(text.value, word, name);
    // Right away: the next key must come after it.
    element.value = done.text;
    element.focus();
    element.setSelectionRange(done.cursor, done.cursor);
    text.value = done.text;
    cursor.value = done.cursor;
  };

  const submit = async () => {
    const content = text.value.trim();
    if (isBusy.value || (content === '' && files.value.length === 0)) return;
    isBusy.value = true;
    try {
      const attachments: string[] = [];
      for (const file of files.value) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        attachments.push((await relay().attach(file.name, bytes, file.type || undefined)).id);
      }
      await send(
        content || files.value.map(({ name }) => name).join(', '),
        attachments.length > 0 ? { attachments } : {},
      );
      text.value = '';
      files.value = [];
    } catch (error) {
      // Keep the draft.
      tell(error);
    } finally {
      isBusy.value = false;
      field.current?.focus();
    }
  };

  const keyDown = (event: KeyboardEvent) => {
    const { candidates, at } = completion();
    if (candidates.length > 0) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const isChosen = event.key === 'Enter' || event.key === 'Tab';
      if (step !== undefined) chosen.value = (at + step + candidates.length) % candidates.length;
      else if (isChosen) complete(candidates[at] ?? '');
      else if (event.key === 'Escape') isClosed.value = true;
      if (step !== undefined || isChosen || event.key === 'Escape') return event.preventDefault();
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  };

  const look = () => {
    cursor.value = field.current?.selectionStart ?? 0;
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {candidates.length > 0 && (
        <div class="candidates" id="candidates" role="listbox" aria-label="Completions">
          {candidates.map((name, index) => (
            <button
              key={name}
              id={`candidate-${index}`}
              type="button"
              role="option"
              aria-selected={index === at}
              tabIndex={-1}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => complete(name)}
            >
              {unfinished?.mark}
              {name}
            </button>
          ))}
        </div>
      )}
      <textarea
        ref={field}
        rows={1}
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        aria-controls={candidates.length > 0 ? 'candidates' : undefined}
        aria-activedescendant={candidates.length > 0 ? `candidate-${at}` : undefined}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          chosen.value = 0;
          isClosed.value = false;
          look();
        }}
        onKeyDown={keyDown}
        onClick={look}
        onKeyUp={look}
      />
      <div class="composer-foot">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ currentTarget }) => {
            files.value = [...files.value, ...(currentTarget.files ?? [])];
            currentTarget.value = '';
          }}
        />
        {/* Hashing the file needs a secure page: TLS, or this machine. */}
        {isSecureContext && (
          <button
            type="button"
            class="quiet"
            aria-label="Attach files"
            title="Attach files"
            onClick={() => picker.current?.click()}
          >
            <Icon name="attach" />
          </button>
        )}
        {files.value.map((file) => (
          <span key={file.name} class="chip">
            {file.name} <span class="muted">{sizeText(file.size)}</span>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${file.name}`}
              onClick={() => {
                files.value = files.value.filter((other) => other !== file);
              }}
            >
              <Icon name="close" size={12} />
            </button>
          </span>
        ))}
        <span class="composer-hint muted">Enter to send</span>
        <button type="submit" class="primary" aria-busy={isBusy.value} aria-label="Send">
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}
