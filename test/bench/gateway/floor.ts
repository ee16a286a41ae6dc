/**
 * The minimum of a gateway: it replaces request ids and restores them in answers, without parsing MCP.
 * Run as: node floor.ts <program> [argument …].
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const [program = '', ...args] = process.argv.slice(2);
const backend = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
const first = new Map<number, unknown>();
let last = 0;

pass(process.stdin, backend.stdin, (message) => {
  if (message.id === undefined) return;
  first.set(++last, message.id);
  message.id = last;
});
pass(backend.stdout, process.stdout, (message) => {
  const id = Number(message.id);
  message.id = first.get(id);
  first.delete(id);
});
process.stdin.on('end', () => backend.kill());

function pass(from: Readable, to: Writable, readdress: (message: { id?: unknown }) => void): void {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line);
      readdress(message);
      to.write(`${JSON.stringify(message)}\n`);
    }
  });
}
