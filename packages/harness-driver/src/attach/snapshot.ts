import { RelayError, safeText } from '@agent-relay/protocol';
import { Drawing } from '@agent-relay/protocol/drawing';
import type { Relay } from '@agent-relay/sdk';
import { Screen } from '../screen/screen.ts';

/** The screen arrives in pieces; after this pause it is complete. */
const QUIET_MS = 100;
/** For a program that never pauses: the screen at this time. */
const MOST_MS = 2000;
const SIZE = { columns: 80, rows: 24 };

/** The current text of an agent's terminal. */
export async function screenOf(terminals: Pick<Relay['terminals'], 'attach'>, name: string) {
  let screen: Screen | undefined;
  let drawing: Drawing | undefined;
  const shown = Promise.withResolvers<void>();
  const latest = setTimeout(shown.resolve, MOST_MS);
  let quiet: NodeJS.Timeout | undefined;
  const view = await terminals.attach(name, {
    ...SIZE,
    onOutput: (bytes, size) => {
      if (size) {
        screen?.dispose();
        screen = new Screen(size);
        drawing = new Drawing(size);
      }
      if (drawing) screen?.feed(Buffer.from(drawing.of(bytes)));
      clearTimeout(quiet);
      quiet = setTimeout(shown.resolve, QUIET_MS);
    },
    onEnded: () => shown.reject(new RelayError('NotRunning', `${name} ended meanwhile.`)),
  });
  try {
    await shown.promise;
    await screen?.settled();
    const { columns = SIZE.columns, rows = SIZE.rows } = screen?.size ?? {};
    const lines = screen?.view()?.lines.map(({ text }) => text) ?? [];
    return { name, columns, rows, screen: safeText(lines.join('\n').trimEnd()) };
  } finally {
    clearTimeout(latest);
    clearTimeout(quiet);
    screen?.dispose();
    await view.detach();
  }
}
