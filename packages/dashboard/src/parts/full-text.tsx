import { indentOf, safeText } from '@agent-relay/protocol';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Text of any length, verbatim. What does not fit is scrolled, and the block says that there is more. */
export function FullText({
  text,
  label,
  isCode = false,
  onRead,
  children,
}: {
  text: string;
  /** For screen readers. */
  label: string;
  isCode?: boolean;
  /** Called with the text when its end is in view. */
  onRead?: (text: string) => void;
  /** The same text, formatted. */
  children?: ComponentChildren;
}) {
  const frame = useRef<HTMLElement>(null);
  const end = useRef<HTMLSpanElement>(null);
  const isOpen = useSignal(false);
  const hasMore = useSignal(false);
  const overflows = useSignal(false);
  const look = () => {
    const element = frame.current;
    if (!element) return;
    const below = element.scrollHeight - element.clientHeight;
    overflows.value = below > 2;
    hasMore.value = below - element.scrollTop > 2;
  };
  useEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(look);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  useEffect(look, [text, isOpen.value]);
  useEffect(() => {
    if (!end.current || !onRead) return undefined;
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) onRead(text);
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [text]);
  // The button stays where it is when the person has scrolled to the end.
  const isLong = overflows.value || isOpen.value;
  return (
    <div class={hasMore.value ? 'full-text has-more' : 'full-text'}>
      {/* Focusable, to be scrolled with the keyboard. */}
      <section
        ref={frame}
        class={`${isCode ? 'code' : 'full-text-words'}${isOpen.value ? ' is-open' : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: axe-core asks for it
        tabIndex={0}
        aria-label={label}
        onScroll={look}
      >
        {children ?? <Lines text={safeText(text)} />}
        <span ref={end} class="text-end" />
      </section>
      {isLong && (
        <p class="full-text-more">
          {hasMore.value && <span class="muted small">More below</span>}
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isOpen.value ? 'Show less' : `Show all ${text.split('\n').length.toLocaleString()} lines`}
          </button>
        </p>
      )}
    </div>
  );
}

/** Where a line continues in the next row, that row begins further to the right than any line of ours. */
const Lines = ({ text }: { text: string }) =>
  text.split('\n').map((line, index) => (
    <span key={index} class="text-line" style={{ '--indent': `${indentOf(line)}ch` }}>
      {line === '' ? '\n' : line}
    </span>
  ));
