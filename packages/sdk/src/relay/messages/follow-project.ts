import { type Message, RelayError } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { Tail } from './tail.ts';

/** The messages of the project, from now on or after a sequence number, while the iteration lasts. */
export async function* followProject(
  session: ClientSession,
  { after }: { after?: number },
): AsyncGenerator<Message, void, void> {
  if (session.tail) {
    throw new RelayError('InvalidRequest', 'This client already follows the project.', {
      next: 'Share the messages of the first tail, or connect a second client.',
    });
  }
  session.tail = new Tail(
    (position, onAnswer) => session.request('TAIL', { after: position }, session.newId(), onAnswer),
    after,
  );
  try {
    yield* session.tail.iterate();
  } finally {
    session.tail = undefined;
  }
}
