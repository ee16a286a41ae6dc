import { type Signal, useSignal, useSignalEffect } from '@preact/signals';

/** Texts that are not sent yet, by where they are written. */
const drafts = new Map<string, string>();

/** A text that a person who looks elsewhere finds again. */
export function useDraft(place: string): Signal<string> {
  const text = useSignal(drafts.get(place) ?? '');
  useSignalEffect(() => {
    if (text.value === '') drafts.delete(place);
    else drafts.set(place, text.value);
  });
  return text;
}
