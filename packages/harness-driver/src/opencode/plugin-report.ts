import { at, textAt } from '../app-server/rpc.ts';
import { type PermissionRequest, permissionFrom } from './permission.ts';

/** The session shown by OpenCode and its state; none on the start page. */
export interface ShownSession {
  session?: string;
  status: 'idle' | 'busy' | 'retry';
  /** Waits for the person's permission or answer. */
  asks: boolean;
  /** The first permission it asks for. */
  permission?: PermissionRequest;
  /** Why and when the model will be asked again. */
  message?: string;
  next?: number;
}

/** A report of the plugin (see bin/opencode-plugin.js). */
export type PluginReport =
  | { kind: 'state'; state: ShownSession }
  /** A part of a prompt that is the relay's message. */
  | { kind: 'part'; part: string; prompt: string }
  /** The model answers this prompt. */
  | { kind: 'answers'; prompt: string }
  | { kind: 'succeeded'; session: string }
  | { kind: 'failed'; session: string; failure: SessionFailure }
  | { kind: 'answer'; request: number; answer: PluginAnswer };

export interface SessionFailure {
  name: string;
  message: string;
  status?: number;
}

/** `taken`: the prompt is stored. `refused`: certainly not. Neither: unknown. */
export interface PluginAnswer {
  taken: boolean;
  refused: boolean;
  found: boolean;
}

/** Parses a line; undefined if it is not a report. */
export function parsePluginReport(line: string): PluginReport | undefined {
  const value = parse(line);
  const state = at(value, 'state');
  if (state !== undefined) return { kind: 'state', state: stateFrom(state) };
  const [part, prompt] = [textAt(value, 'part'), textAt(value, 'prompt')];
  if (part !== undefined && prompt !== undefined) return { kind: 'part', part, prompt };
  const answers = textAt(value, 'answers');
  if (answers !== undefined) return { kind: 'answers', prompt: answers };
  const succeeded = textAt(value, 'succeeded');
  if (succeeded !== undefined) return { kind: 'succeeded', session: succeeded };
  const failed = textAt(value, 'failed');
  if (failed !== undefined) return { kind: 'failed', session: failed, failure: failureFrom(value) };
  const request = at(value, 'answer');
  const is = (key: string) => at(value, key) === true;
  return typeof request === 'number'
    ? {
        kind: 'answer',
        request,
        answer: { taken: is('taken'), refused: is('refused'), found: is('found') },
      }
    : undefined;
}

function stateFrom(value: unknown): ShownSession {
  const [session, message, next] = [textAt(value, 'session'), textAt(value, 'message'), at(value, 'next')];
  const status = at(value, 'status');
  const permission = permissionFrom(at(value, 'permission'));
  return {
    // An unknown state of another version counts as busy.
    status: status === 'retry' || status === 'idle' || status === undefined ? (status ?? 'idle') : 'busy',
    asks: at(value, 'asks') === true,
    ...(session !== undefined && { session }),
    ...(permission !== undefined && { permission }),
    ...(message !== undefined && { message }),
    ...(typeof next === 'number' && { next }),
  };
}

function failureFrom(value: unknown): SessionFailure {
  const status = at(value, 'status');
  return {
    name: textAt(value, 'name') ?? '',
    message: textAt(value, 'message') ?? '',
    ...(typeof status === 'number' && { status }),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
