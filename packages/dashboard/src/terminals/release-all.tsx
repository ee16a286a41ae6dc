import { isRelayError } from '@agent-relay/sdk';
import { useRef } from 'preact/hooks';
import { relayNow } from '../connection/connection.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { tell } from '../parts/notices.tsx';
import { spawned } from './live-terminals.ts';

/** Ends the programs of all agents that the relay started, after a confirmation. */
export function ReleaseAll() {
  const dialog = useRef<HTMLDialogElement>(null);
  const names = spawned.value.map(({ name }) => name);
  if (names.length === 0) return null;
  const release = async () => {
    const ends = await Promise.allSettled(
      names.map((name) => relayNow().workers.release(name, { reason: 'all released in the dashboard' })),
    );
    dialog.current?.close();
    const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    // One that has ended meanwhile counts as released.
    for (const error of failed) if (!isRelayError(error, 'AgentNotFound')) tell(error);
    const released = names.length - failed.length;
    tell(`Released ${released} ${released === 1 ? 'agent' : 'agents'}.`);
  };
  return (
    <>
      <button type="button" class="push-right" onClick={() => dialog.current?.showModal()}>
        Release all
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="release-all">
        <h2 id="release-all">Release {names.length === 1 ? names[0] : `all ${names.length} agents`}?</h2>
        <p class="dialog-text">
          This ends the programs of {names.join(', ')}, and everything they started. Their names are free
          again; their messages stay.
        </p>
        <p class="muted small">Agents started with agent-relay run keep running.</p>
        <div class="buttons">
          <BusyButton onPress={release} kind="danger">
            Release {names.length === 1 ? 'it' : `all ${names.length}`}
          </BusyButton>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  );
}
