// An agent CLI with hooks like those of Claude Code: runs those of its settings, and begins a prompt with what they have for
// its model. It is in a turn from a prompt, or a line `turn`, on until a line `stop`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const EVENTS = { turn: 'UserPromptSubmit', stop: 'Stop' };

const given = process.argv.find((word) => word.startsWith('--settings='));
const { hooks } = JSON.parse(readFileSync(given.slice('--settings='.length), 'utf8'));

function run(event, prompt = '') {
  for (const { command } of hooks[event].flatMap((group) => group.hooks)) {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'] });
    child.stdin.end(JSON.stringify({ hook_event_name: event, session_id: 'session-1', prompt }));
    child.stderr.on('data', (text) => run('UserPromptSubmit', String(text)));
  }
  console.log(`at ${event} ${prompt}`);
}

run('SessionStart');
createInterface({ input: process.stdin }).on('line', (line) => {
  if (EVENTS[line]) run(EVENTS[line]);
  else process.exit(0);
});
