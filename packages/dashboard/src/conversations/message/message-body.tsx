import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { renderMarkdown } from './markdown.ts';
import { linkReferences } from './references.ts';

/** Estimated from the text: measuring would cost one layout per message. */
const LONG_CHARACTERS = 2500;
const LONG_LINES = 24;

const isLong = (content: string): boolean =>
  content.length > LONG_CHARACTERS || content.split('\n', LONG_LINES + 1).length > LONG_LINES;

/** The text of a message; a long one is collapsed. */
export function MessageBody({ content }: { content: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(!isLong(content));
  useLayoutEffect(() => place.current?.replaceChildren(linkReferences(renderMarkdown(content))), [content]);
  return (
    <>
      <div ref={place} class={isOpen.value ? 'body' : 'body is-folded'} />
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
