import { useLayoutEffect, useRef } from 'preact/hooks';
import { renderMarkdown } from '../../../conversations/message/markdown.ts';
import { linkReferences } from '../../../conversations/message/references.ts';

/** The words of a message, in full. */
export function FormattedWords({ content }: { content: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(linkReferences(renderMarkdown(content))), [content]);
  return <div ref={place} class="body" />;
}
