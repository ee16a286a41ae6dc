import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay, welcome } from '../../connection/connection.ts';
import { type Problem, Trouble } from '../../parts/trouble.tsx';
import { linkTo, replaceRoute } from '../../routes.ts';
import { placeOf } from '../place.ts';

/** Resolves a link to a message: it has only the id, because the conversation depends on the viewer. */
export function MessageAt({ id }: { id: string }) {
  const problem = useSignal<Problem | undefined>(undefined);
  useEffect(() => {
    relay()
      .trace(id)
      .then(
        ({ message }) => {
          const { place, subject } = placeOf(message, welcome.value?.agent?.name ?? '');
          replaceRoute(linkTo(welcome.value?.project ?? '', place, subject, message.id));
        },
        (error: Problem) => {
          problem.value = error;
        },
      );
  }, [id]);
  return (
    <div class="place narrow">
      {problem.value ? (
        <section class="card">
          <Trouble problem={problem.value} />
        </section>
      ) : (
        <p class="muted">Looking for the message…</p>
      )}
    </div>
  );
}
