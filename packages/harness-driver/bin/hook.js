// The command of an agent CLI's hooks: `hook.js <milliseconds> <socket> [wait|ask]`. It reports the event to the host of the
// terminal within that time. With `wait` it stays until the host has a message for the agent, with `ask` until a permission is
// decided. Plain JavaScript without imports of ours: it is started often and must start fast.
import { writeSync } from 'node:fs';
import { connect } from 'node:net';

/** The exit code that tells a CLI to pass standard error to the model. */
const FOR_THE_MODEL = 2;
/** A tool with longer arguments can be allowed only in its dialog. */
const MOST_CHARACTERS = 16 * 1024;
/** A longer text in a report says nothing more. */
const MOST_OF_A_TEXT = 4 * 1024;

const [milliseconds, socketPath, mode] = process.argv.slice(2);
const { ppid } = process;
// Whatever the host does, the CLI must not wait or see an error.
const late = setTimeout(() => process.exit(0), Math.max(Number(milliseconds) - performance.now(), 200));
const input = await readInput();
const report = {
  event: input.hook_event_name,
  startedAt: performance.timeOrigin,
  waits: mode === 'wait',
  asks: mode === 'ask',
  tool: mode === 'ask' ? askedTool(input) : undefined,
  source: text(input.source),
  promptId: text(input.prompt_id),
  session: text(input.session_id),
  isSubagent: input.agent_id !== undefined,
  error: text(input.error),
  details:
    input.error === undefined
      ? undefined
      : `${text(input.error_details) ?? ''} ${text(input.last_assistant_message) ?? ''}`,
  // Only the ids of messages in the prompt: what people type is not for the relay.
  messages: messagesIn(input.prompt),
};
let received = '';
const socket = connect(socketPath).setEncoding('utf8');
// Without a host there is nothing to wait for.
socket.on('error', () => process.exit(0));
socket.on('close', () => process.exit(0));
socket.on('data', (piece) => {
  received += piece;
  if (received.endsWith('\n')) answer(parsed(received) ?? {});
});
// It stays beside the CLI, which does not wait for it.
if (mode !== undefined) socket.on('connect', () => clearTimeout(late));
socket.write(`${JSON.stringify(report)}\n`);

/** The event; without one the process ends, and says why. */
async function readInput() {
  let given = '';
  for await (const piece of process.stdin.setEncoding('utf8')) given += piece;
  const value = parsed(given);
  if (typeof value?.hook_event_name === 'string') return value;
  writeSync(2, 'agent-relay: the input of this hook is not an event of the CLI, so it does nothing.\n');
  process.exit(0);
}

/** An object; undefined for anything else. */
function parsed(json) {
  try {
    const value = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function text(value) {
  return typeof value === 'string' ? value.slice(0, MOST_OF_A_TEXT) : undefined;
}

function messagesIn(prompt) {
  if (typeof prompt !== 'string') return [];
  return [...prompt.matchAll(/\[(msg_\w+)\]/g)].slice(0, 64).map(([, id]) => id);
}

function askedTool({ tool_name: name, tool_input: args }) {
  try {
    return { name, input: JSON.stringify(args ?? {}).length > MOST_CHARACTERS ? undefined : args };
  } catch {
    // Nested too deeply to be written again.
    return { name, input: undefined };
  }
}

/** The decision of a person, in the words of the CLI. */
function decide(behavior) {
  const decision = behavior === 'allow' ? { behavior } : { behavior, message: 'A person denied this.' };
  writeSync(1, JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }));
  process.exit(0);
}

function answer({ text: message, answer: decision }) {
  if (decision === 'allow' || decision === 'deny') decide(decision);
  if (typeof message !== 'string') process.exit(0);
  // The CLI that would read it is gone.
  if (process.ppid !== ppid) return socket.end('{"taken":false}\n');
  writeSync(2, message);
  socket.end('{"taken":true}\n', () => process.exit(FOR_THE_MODEL));
}
