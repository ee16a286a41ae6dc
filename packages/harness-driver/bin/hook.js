// The command of an agent CLI's hooks: `hook.js <socket> [wait|ask]`. It reports the event to the host of the terminal. With
// `wait` it stays until the host has a message for the agent, with `ask` until a permission is decided. Plain JavaScript
// without imports of ours: it is started often and must start fast.
import { readFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';

/** The exit code that tells a CLI to pass standard error to the model. */
const FOR_THE_MODEL = 2;
/** A tool with longer arguments can be allowed only in its dialog. */
const MOST_CHARACTERS = 16 * 1024;

const [socketPath, mode] = process.argv.slice(2);
const { ppid } = process;
const input = JSON.parse(readFileSync(0, 'utf8'));
const report = {
  event: input.hook_event_name,
  startedAt: performance.timeOrigin,
  waits: mode === 'wait',
  asks: mode === 'ask',
  tool: mode === 'ask' ? askedTool(input) : undefined,
  source: input.source,
  promptId: input.prompt_id,
  session: input.session_id,
  isSubagent: input.agent_id !== undefined,
  error: input.error,
  details:
    input.error === undefined
      ? undefined
      : `${input.error_details ?? ''} ${input.last_assistant_message ?? ''}`,
  // Only the ids of messages in the prompt: what people type is not for the relay.
  messages: [...String(input.prompt ?? '').matchAll(/\[(msg_\w+)\]/g)].slice(0, 64).map(([, id]) => id),
};
let received = '';
const socket = connect(socketPath);
// Without a host there is nothing to wait for, and the CLI must not see an error.
socket.on('error', () => process.exit(0));
socket.on('close', () => process.exit(0));
socket.on('data', (bytes) => {
  received += bytes;
  if (received.endsWith('\n')) answer(JSON.parse(received));
});
socket.write(`${JSON.stringify(report)}\n`);

function askedTool({ tool_name: name, tool_input: args }) {
  return { name, input: JSON.stringify(args ?? {}).length > MOST_CHARACTERS ? undefined : args };
}

/** The decision of a person, in the words of the CLI. */
function decide(behavior) {
  const decision = behavior === 'allow' ? { behavior } : { behavior, message: 'A person denied this.' };
  writeSync(1, JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }));
  process.exit(0);
}

function answer({ text, answer: decision }) {
  if (decision === 'allow' || decision === 'deny') decide(decision);
  if (text === undefined) process.exit(0);
  // The CLI that would read it is gone.
  if (process.ppid !== ppid) return socket.end('{"taken":false}\n');
  writeSync(2, text);
  socket.end('{"taken":true}\n', () => process.exit(FOR_THE_MODEL));
}
