import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { linkTo, replaceRoute } from '../routes.ts';
import { placeOf } from './place.ts';

/** A link to a message says only which: where it stands depends on who looks. */
export function MessageAt({ id }: { id: string }) {
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    relay()
      .trace(id)
      .then(
        ({ message }) => {
          const { place, subject } = placeOf(message, welcome.value?.agent?.name ?? '');
          replaceRoute(linkTo(welcome.value?.project ?? '', place, subject, message.id));
        },
        (error: Error) => {
          problem.value = error.message;
        },
      );
  }, [id]);
  return (
    <div class="place narrow">
      <p class={problem.value ? 'card trouble' : 'muted'}>{problem.value ?? 'Looking for the message…'}</p>
    </div>
  );
}
