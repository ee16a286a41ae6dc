import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { renderMarkdown } from './markdown.ts';

/** What a message says. A long one is folded. */
export function MessageBody({ content }: { content: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isLong = useSignal(false);
  const isOpen = useSignal(false);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    element.replaceChildren(renderMarkdown(content));
    isLong.value = element.scrollHeight > element.clientHeight + 4;
  }, [content]);
  return (
    <>
      <div ref={place} class={isOpen.value ? 'body' : 'body is-folded'} />
      {isLong.value && (
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
