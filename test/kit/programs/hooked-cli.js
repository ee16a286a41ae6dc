// An agent CLI with hooks like those of Claude Code: runs those of its settings, and begins a prompt with what they have for
// its model. It is in a turn from a prompt, or a line `turn`, on until a line `stop`. It has the tools of its MCP server from
// the beginning, or with `--late` from a line `tools` on.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const EVENTS = { turn: 'UserPromptSubmit', stop: 'Stop' };

const given = (option) => {
  const word = process.argv.find((one) => one.startsWith(`${option}=`));
  return JSON.parse(readFileSync(word.slice(option.length + 1), 'utf8'));
};
const { hooks } = given('--settings');

function listTools() {
  const { command, args, env } = given('--mcp-config').mcpServers['agent-relay'];
  const server = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const clientInfo = { name: 'hooked', version: '1' };
  const requests = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ];
  for (const request of requests) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
}

function run(event, prompt = '') {
  for (const { command } of hooks[event].flatMap((group) => group.hooks)) {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'] });
    child.stdin.end(JSON.stringify({ hook_event_name: event, session_id: 'session-1', prompt }));
    child.stderr.on('data', (text) => run('UserPromptSubmit', String(text)));
  }
  console.log(`at ${event} ${prompt}`);
}

run('SessionStart');
if (!process.argv.includes('--late')) listTools();
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'tools') listTools();
  else if (EVENTS[line]) run(EVENTS[line]);
  else process.exit(0);
});
