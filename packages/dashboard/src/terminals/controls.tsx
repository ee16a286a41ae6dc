import type { RefObject } from 'preact';
import { BusyButton } from '../parts/busy-button.tsx';
import type { TerminalSession } from './terminal-session.ts';
import { readsScreen, setReadsScreen, zoomBy } from './view-settings.ts';

/** Controls: who types, holding messages, font size. */
export function Controls({
  session,
  onDrive,
  leave,
}: {
  session: TerminalSession;
  /** The person takes over the keyboard. */
  onDrive: () => void;
  /** Receives the focus when it leaves the terminal. */
  leave: RefObject<HTMLButtonElement | null>;
}) {
  const { mode, held, viewers, isBusy, phase } = session;
  if (phase.value !== 'live') return null;
  const drive = async (takeover: boolean) => {
    const asked = session.drive(takeover);
    onDrive();
    await asked;
  };
  return (
    <div class="terminal-controls">
      {viewers.value > 1 && <span class="muted small">{viewers.value} viewers</span>}
      <span class="letter-size">
        <button type="button" class="quiet" aria-label="A−, smaller text" onClick={() => zoomBy(-1)}>
          A−
        </button>
        <button type="button" class="quiet" aria-label="A+, larger text" onClick={() => zoomBy(1)}>
          A+
        </button>
      </span>
      <button
        type="button"
        class="quiet only-wide"
        aria-pressed={readsScreen.value}
        title="Makes the terminal’s output available to screen readers"
        onClick={() => setReadsScreen(!readsScreen.value)}
      >
        Screen reader
      </button>
      <button
        type="button"
        aria-pressed={held.value}
        title="While messages are held, none is typed into this terminal"
        onClick={() => void session.hold(!held.value)}
      >
        {held.value ? 'Deliver messages' : 'Hold messages'}
      </button>
      {mode.value === 'drive' ? (
        <>
          <span class="muted small only-wide">
            <kbd>Ctrl</kbd> <kbd>]</kbd> leaves the terminal
          </span>
          <button ref={leave} type="button" onClick={() => void session.watch()}>
            Stop typing
          </button>
        </>
      ) : (
        <BusyButton key={String(isBusy.value)} kind="primary" onPress={() => drive(isBusy.value)}>
          {isBusy.value ? 'Take over' : 'Type here'}
        </BusyButton>
      )}
    </div>
  );
}
