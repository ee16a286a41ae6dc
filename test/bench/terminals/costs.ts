import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PROGRAM } from '../../kit/cli.ts';
import type { TestDaemon } from '../../kit/daemon.ts';
import { median } from '../statistics.ts';
import { type RawTerminal, startRaw } from './raw-terminal.ts';

const TICKS_PER_SECOND = 100;
const LINES = 600_000;
const env = (daemon: TestDaemon) => ({ ...daemon.env, TERM: 'xterm-256color', LANG: 'C.UTF-8' });
const wrapped = (name: string, words: string[], ...options: string[]) => [
  ...[process.execPath, PROGRAM, 'run', '--name', name, ...options, '--'],
  ...words,
];

/**
 * Bytes per second, from a program to the terminal: alone, with `script` of util-linux in between, which only passes
 * bytes on, and with the relay in between, with and without looking for commands in it. Rounds are interleaved.
 */
export async function outputRates(
  daemon: TestDaemon,
  rounds: number,
): Promise<{ plain: number; script: number; relay: number; ratio: number; patterns: number }> {
  const file = join(daemon.directory, 'lines.txt');
  const line = (index: number) =>
    `\x1b[3${index % 8}mline ${index}\x1b[0m the quick brown fox jumps over the lazy dog\n`;
  const text = Array.from({ length: LINES }, (_, index) => line(index)).join('');
  await writeFile(file, text);
  // A terminal writes a carriage return before each line feed.
  const bytes = Buffer.byteLength(text) + LINES;
  // From the first byte to the last, without start and exit.
  const script = ['bash', '-c', `stty -echo; printf x; read -r; cat '${file}'; read -r`];
  const rate = async (command: string[]) => {
    await using terminal = startRaw(command, env(daemon), daemon.projectDirectory);
    await terminal.bytes(1);
    const start = performance.now();
    terminal.write('\r');
    await terminal.bytes(bytes);
    return bytes / ((performance.now() - start) / 1000);
  };
  const [shell = '', option = '', commands = ''] = script;
  const passedOn = ['script', '-qec', `${shell} ${option} "${commands}"`, '/dev/null'];
  const measured: Array<{ plain: number; script: number; relay: number; blind: number }> = [];
  for (let round = 0; round < rounds; round++) {
    measured.push({
      plain: await rate(script),
      script: await rate(passedOn),
      relay: await rate(wrapped('Output', script)),
      blind: await rate(wrapped('Output', script, '--no-patterns')),
    });
  }
  return {
    plain: median(measured.map(({ plain }) => plain)),
    script: median(measured.map((one) => one.script)),
    relay: median(measured.map(({ relay }) => relay)),
    ratio: median(measured.map(({ plain, relay }) => relay / plain)),
    patterns: median(measured.map(({ relay, blind }) => relay / blind)),
  };
}

/** Milliseconds from a key to its echo, without and with the relay in between. */
export async function keyLatencies(
  daemon: TestDaemon,
  keys: number,
): Promise<{ plain: number; relay: number; added: number }> {
  const script = ['bash', '-c', 'stty raw -echo; printf x; exec cat'];
  await using plain = startRaw(script, env(daemon), daemon.projectDirectory);
  await using relay = startRaw(wrapped('Keys', script), env(daemon), daemon.projectDirectory);
  await plain.bytes(1);
  await relay.bytes(1);
  const press = async (terminal: RawTerminal) => {
    const start = performance.now();
    terminal.write('k');
    await terminal.bytes(1);
    return performance.now() - start;
  };
  const pairs: Array<{ plain: number; relay: number }> = [];
  for (let key = 0; key < keys; key++) pairs.push({ plain: await press(plain), relay: await press(relay) });
  return {
    plain: median(pairs.map((pair) => pair.plain)),
    relay: median(pairs.map((pair) => pair.relay)),
    added: median(pairs.map((pair) => pair.relay - pair.plain)),
  };
}

/** The share of a core that idle hosts take together, and the private memory of each, in MiB. */
export async function idleHosts(
  daemon: TestDaemon,
  count: number,
  ms: number,
): Promise<{ share: number; privateMiB: number }> {
  await using stack = new AsyncDisposableStack();
  const hosts: RawTerminal[] = [];
  for (let number = 0; number < count; number++) {
    const host = stack.use(
      startRaw(
        wrapped(`Idle-${number}`, ['bash', '-c', 'printf x; exec cat']),
        env(daemon),
        daemon.projectDirectory,
      ),
    );
    await host.bytes(1);
    hosts.push(host);
  }
  // The work of starting is finished by then.
  await setTimeout(3000);
  const ticks = () => hosts.reduce((sum, { pid }) => sum + processorTicks(pid), 0);
  const before = ticks();
  await setTimeout(ms);
  const share = (ticks() - before) / TICKS_PER_SECOND / (ms / 1000);
  return { share, privateMiB: median(hosts.map(({ pid }) => privateMegabytes(pid))) };
}

function processorTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function privateMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilobytes = [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, value]) => Number(value));
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}
