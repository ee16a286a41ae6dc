import { useSignal } from '@preact/signals';
import type { ComponentChildren, FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';

/** A part of the page that is loaded later. */
interface OnDemand<Props> {
  Part: FunctionComponent<Props>;
  /** Loads it before it is shown; a failure is reported when it is shown. */
  load(): void;
}

/** Loads a component when it is first shown; until then shows `meanwhile`. */
export function onDemand<Props extends object>(
  read: () => Promise<FunctionComponent<Props>>,
  meanwhile: ComponentChildren,
): OnDemand<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  const load = async () => {
    loaded ??= await read();
    return loaded;
  };
  function Part(props: Props) {
    const shown = useSignal<{ Loaded: FunctionComponent<Props> } | undefined>(loaded && { Loaded: loaded });
    const isMissing = useSignal(false);
    useEffect(() => {
      load().then(
        (Loaded) => {
          shown.value = { Loaded };
        },
        () => {
          isMissing.value = true;
        },
      );
    }, []);
    const Loaded = shown.value?.Loaded;
    if (Loaded) return <Loaded {...props} />;
    return isMissing.value ? <Missing /> : meanwhile;
  }
  return {
    Part,
    load: () =>
      void load().catch(() => {
        // Showing it tries again and reports a failure.
      }),
  };
}

/** The daemon is away, or has been updated and has other files now. */
const Missing = () => (
  <p class="loading muted" role="alert">
    This part of the page could not be loaded.{' '}
    <button type="button" class="link" onClick={() => location.reload()}>
      Reload the page
    </button>
  </p>
);
