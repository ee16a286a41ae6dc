import type { Socket } from 'node:net';

const MAX_BYTES = 16 * 1024;
const PATIENCE_MS = 10_000;

/** Reads one line and pauses the socket with the rest in it. Rejects if no line arrives. */
export function readFirstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      socket.off('data', take).off('close', ended).pause();
      settled();
    };
    const fail = (reason: string) => settle(() => reject(new Error(reason)));
    const ended = () => fail('the other end closed the connection');
    const timer = setTimeout(() => fail(`nothing was received within ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
    const take = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\n');
      if (end === -1 && received.length <= MAX_BYTES) return;
      if (end === -1) return fail('the first line is too long');
      settle(() => {
        if (end + 1 < received.length) socket.unshift(received.subarray(end + 1));
        resolve(received.toString('utf8', 0, end));
      });
    };
    socket.on('data', take).on('close', ended);
  });
}
