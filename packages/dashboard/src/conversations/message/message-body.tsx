import { useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { FormattedText } from './markdown/formatted-text.tsx';
import { withReferences } from './references.tsx';

/** Estimated from the text: measuring would cost one layout per message. */
const LONG_CHARACTERS = 2500;
const LONG_LINES = 24;

const isLong = (content: string): boolean =>
  content.length > LONG_CHARACTERS || content.split('\n', LONG_LINES + 1).length > LONG_LINES;

/** Drawn again only if the text has changed. */
const Text = memo(FormattedText);

/** The text of a message; a long one is collapsed. */
export function MessageBody({ content }: { content: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(!isLong(content));
  const wasOpen = useRef(isOpen.value);
  useLayoutEffect(() => {
    // The person was at its last lines, which are gone.
    if (wasOpen.current && !isOpen.value)
      place.current?.closest('[data-row]')?.scrollIntoView({ block: 'nearest' });
    wasOpen.current = isOpen.value;
  }, [isOpen.value]);
  return (
    <>
      <div ref={place} class={isOpen.value ? 'body' : 'body is-folded'}>
        <Text text={content} drawWords={withReferences} />
      </div>
      {isLong(content) && (
        <button
          type="button"
          class="quiet unfold"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  );
}
