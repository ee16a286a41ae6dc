import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { relay } from '../connection/connection.ts';
import { AgentWaiting } from '../overview/waiting/agent-waiting.tsx';
import { Controls } from './controls.tsx';
import { Emulator } from './emulator.ts';
import { KeyBar } from './key-bar.tsx';
import { type BarKey, sequenceOf, withControl } from './keys.ts';
import { SessionBanner, TerminalHead } from './terminal-head.tsx';
import { TerminalSession } from './terminal-session.ts';
import { readsScreen, zoom } from './view-settings.ts';

/** One agent's terminal: many can watch, one can type. */
export function TerminalView({ name }: { name: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const leave = useRef<HTMLButtonElement>(null);
  const opened = useSignal<{ session: TerminalSession; emulator: Emulator } | undefined>(undefined);
  const control = useSignal(false);
  useEffect(() => {
    if (!frame.current) return undefined;
    const encoder = new TextEncoder();
    const emulator = new Emulator({
      frame: frame.current,
      label: `Terminal of ${name}. Press Control and right bracket to leave it.`,
      onKeys: (keys) => {
        const typed = new TextDecoder().decode(keys);
        session.press(control.peek() ? encoder.encode(withControl(typed)) : keys);
        control.value = false;
      },
      onLeave: () => leave.current?.focus(),
      onRoom: () => session.resized(),
    });
    const session = new TerminalSession(relay(), name, emulator);
    const stops = [
      effect(() =>
        emulator.setTyping(
          (session.mode.value === 'drive' || session.wantsToDrive.value) && session.phase.value === 'live',
        ),
      ),
      effect(() => emulator.setScreenReader(readsScreen.value)),
      effect(() => {
        emulator.setZoom(zoom.value);
        session.resized();
      }),
    ];
    opened.value = { session, emulator };
    return () => {
      for (const stop of stops) stop();
      session.close();
      emulator.close();
    };
  }, []);
  const session = opened.value?.session;
  const emulator = opened.value?.emulator;
  const isDriving = session?.mode.value === 'drive' && session.phase.value === 'live';
  const press = (key: BarKey) => {
    if (!session || !emulator) return;
    const application = emulator.hasApplicationArrows;
    session.press(new TextEncoder().encode(sequenceOf(key, { application, control: control.value })));
    control.value = false;
  };
  return (
    <div class="terminal-place">
      <TerminalHead name={name}>
        {session && emulator && <Controls session={session} onDrive={() => emulator.focus()} leave={leave} />}
      </TerminalHead>
      {session && <SessionBanner session={session} name={name} />}
      <AgentWaiting name={name} place="terminal" />
      <div class={isDriving ? 'terminal-frame is-driving' : 'terminal-frame'}>
        <div class="terminal-screen" ref={frame} />
      </div>
      {isDriving && (
        <KeyBar
          control={control.value}
          onControl={(isHeld) => {
            control.value = isHeld;
          }}
          onKey={press}
        />
      )}
    </div>
  );
}
