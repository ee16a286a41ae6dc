import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** Draws its content in a later task; the page handles input in between. */
export function Soon({ children }: { children: ComponentChildren }) {
  const isDue = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      isDue.value = true;
    });
    return () => clearTimeout(timer);
  }, []);
  return isDue.value ? children : null;
}
