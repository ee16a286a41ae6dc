import { createServer } from 'node:net';

/** Below the ports that the system hands out by itself: whoever asks for any free one, at the same time, gets none of these. */
const FIRST = 15_000;
const COUNT = 15_000;

/** A port that is currently free. */
export async function freePort(): Promise<number> {
  while (true) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
