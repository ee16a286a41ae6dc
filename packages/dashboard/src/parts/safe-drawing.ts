import { safeText } from '@agent-relay/protocol';
import { options, type VNode } from 'preact';

/** Where the page shows text, other than in an element. */
const SPOKEN = ['title', 'aria-label', 'alt', 'placeholder'] as const;

/** Most texts have only these. */
const isPlain = (text: string): boolean => /^[\n\t\x20-\x7e]*$/.test(text);

const shown = (text: string): string => (isPlain(text) ? text : safeText(text));

/**
 * Whatever the page draws is made safe to show, here and nowhere else: names, topics, tasks, results and tool
 * descriptions come from agents, too, and could hide or turn around what a person reads.
 */
export function drawSafely(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    // The properties of a text are the text.
    const { type, props } = vnode as { type: unknown; props: unknown };
    if (typeof props === 'string') vnode.props = shown(props) as unknown as VNode['props'];
    else if (typeof type === 'string') makeSafe(props as Record<string, unknown>);
    before?.(vnode);
  };
}

function makeSafe(props: Record<string, unknown>): void {
  for (const name of SPOKEN) {
    const text = props[name];
    if (typeof text === 'string') props[name] = shown(text);
  }
}
