import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Who presses within this time has aimed at what was here before. */
const SETTLE_MS = 600;

/** False for a moment whenever `shown` has changed: until a person can have seen it. */
export function useSettled(shown: string): boolean {
  const settled = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = shown;
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return settled.value === shown;
}
