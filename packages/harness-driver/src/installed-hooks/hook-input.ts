import { RelayError } from '@agent-relay/protocol';
import { textAt } from '../app-server/rpc.ts';

/** More than any CLI writes, tool results included. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** What a CLI tells its hook. */
export interface HookInput {
  event: string;
  session: string;
  prompt: string;
  /** Its file with the conversation. */
  transcript: string | undefined;
}

/** Reads what the CLI writes to its end. */
export async function readHookInput(input: AsyncIterable<unknown>): Promise<HookInput> {
  let text = '';
  for await (const piece of input) {
    text += String(piece);
    if (text.length > MOST_CHARACTERS) throw notAnEvent('is larger than any event');
  }
  return parseHookInput(text);
}

function parseHookInput(text: string): HookInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notAnEvent(text.trim() === '' ? 'is empty' : 'is not JSON', cause);
  }
  const event = textAt(value, 'hook_event_name');
  const session = textAt(value, 'session_id');
  if (event === undefined || session === undefined)
    throw notAnEvent('has no "hook_event_name" or no "session_id"');
  const transcript = textAt(value, 'transcript_path');
  return { event, session, prompt: textAt(value, 'prompt') ?? '', transcript };
}

const notAnEvent = (why: string, cause?: unknown): RelayError =>
  new RelayError('InvalidRequest', `The input of the hook ${why}, so the hook did nothing.`, { cause });
