import { effect, type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** Texts that are not sent yet, by where they are written. */
const drafts = new Map<string, string>();

/** Whether the person has begun to write there. */
export const hasDraft = (place: string): boolean => drafts.has(place);

/** A text that a person who looks elsewhere finds again. */
export function useDraft(place: string): Signal<string> {
  const text = useSignal(drafts.get(place) ?? '');
  // Before the next paint: somebody may write and leave at once.
  useLayoutEffect(
    () =>
      effect(() => {
        if (text.value === '') drafts.delete(place);
        else drafts.set(place, text.value);
      }),
    [text, place],
  );
  return text;
}
