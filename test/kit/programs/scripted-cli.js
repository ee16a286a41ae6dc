#!/usr/bin/env node
// An agent CLI as small as one can be: a composer, turns, a dialog, all drawn on a real terminal. It understands a few
// words in what it is told: `ask` opens a dialog, `exit N` ends it, `say X` answers, everything else is thought about.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const { SCRIPTED_TRUST, SCRIPTED_LOG, SCRIPTED_STUBBORN, SCRIPTED_LEAVES, SCRIPTED_PLAIN } = process.env;
const note = (what) => SCRIPTED_LOG && appendFileSync(SCRIPTED_LOG, `${JSON.stringify(what)}\n`);

const PASTE = ['\x1b[200~', '\x1b[201~'];
const KEYS = new RegExp(`(${PASTE.map((mark) => mark.replace('[', '\\[')).join('|')}|\r)`);

let draft = '';
let mode = SCRIPTED_TRUST ? 'trust' : 'composer';
let pasted = '';
let isPasting = false;

const write = (text) => process.stdout.write(text);
const prompt = () => write('\r\nyou> ');

process.stdin.setRawMode(true);
write(`${SCRIPTED_PLAIN ? '' : '\x1b[?2004h'}Scripted CLI\r\n`);
note({
  started: process.argv.slice(2),
  cwd: process.cwd(),
  agent: process.env.RELAY_AGENT_NAME,
  pid: process.pid,
});
if (SCRIPTED_LEAVES) {
  const left = spawn('sleep', ['600'], { stdio: 'inherit', detached: SCRIPTED_LEAVES === 'apart' });
  left.unref();
  note({ left: left.pid });
}
for (const signal of SCRIPTED_STUBBORN ? ['SIGHUP', 'SIGTERM'] : []) process.on(signal, () => undefined);
if (mode === 'trust') write('Trust this folder? (y) ');
else prompt();

process.stdin.setEncoding('utf8').on('data', (text) => {
  for (const part of text.split(KEYS)) if (part !== '') take(part);
});

function take(part) {
  if (part === '\x1b[200~') isPasting = true;
  else if (part === '\x1b[201~') {
    isPasting = false;
    draft += pasted;
    write(pasted.replaceAll('\n', '\r\n'));
    pasted = '';
  } else if (isPasting) pasted += part;
  else if (mode === 'trust') {
    if (part === 'y') start();
  } else if (mode === 'dialog') {
    note({ dialog: part });
    if (part === 'y' || part === '\r') finish('allowed');
  } else if (part === '\x03') process.exit(130);
  else if (part === '\r') submit();
  else {
    draft += part;
    write(part);
  }
}

function start() {
  mode = 'composer';
  write('\x1b[2J\x1b[H');
  prompt();
}

function submit() {
  const text = draft;
  draft = '';
  note({ turn: text });
  const [, code] = /\bexit (\d+)/.exec(text) ?? [];
  if (code !== undefined) process.exit(Number(code));
  // Some show only later that they think.
  const hesitates = Number(process.env.SCRIPTED_HESITATES ?? 0);
  if (hesitates > 0) write('\x1b[2J\x1b[Hyou> ');
  setTimeout(() => think(text), hesitates);
}

function think(text) {
  write('\x1b[2J\x1b[Hthinking…');
  setTimeout(
    () => {
      if (/\bask\b/.test(text)) {
        mode = 'dialog';
        write('\x1b[2J\x1b[HRun the command? [y/n] ');
      } else finish(/\bsay (.*)/.exec(text)?.[1] ?? 'done');
    },
    Number(process.env.SCRIPTED_THINKS ?? 400),
  );
}

function finish(answer) {
  mode = 'composer';
  note({ answer });
  write(`\x1b[2J\x1b[H${answer}\r\n`);
  prompt();
}
