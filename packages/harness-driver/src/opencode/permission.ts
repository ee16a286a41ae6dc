import type { PromptAsk } from '@agent-relay/protocol';
import { at, textAt } from '../app-server/rpc.ts';
import type { OpenPrompt } from '../clis/adapter.ts';
import { commandAsk, openPrompt, toolAsk } from '../clis/open-prompt.ts';

/** What a session asks its person for, as the plugin tells it. */
export interface PermissionRequest {
  id: string;
  /** The kind of tool: `bash`, `edit`, `webfetch`. */
  permission: string;
  metadata: unknown;
  /** The arguments of the tool. */
  input: unknown;
  /** It is too long to be passed on. */
  isTooLong: boolean;
}

/** Undefined if somebody else wrote it. */
export function permissionFrom(value: unknown): PermissionRequest | undefined {
  const [id, permission] = [textAt(value, 'id'), textAt(value, 'permission')];
  if (id === undefined || permission === undefined) return undefined;
  const isTooLong = at(value, 'isTooLong') === true;
  return { id, permission, metadata: at(value, 'metadata'), input: at(value, 'input'), isTooLong };
}

/** The prompt for a person elsewhere; undefined if nothing says what is asked for. */
export function promptOf(request: PermissionRequest): OpenPrompt | undefined {
  if (request.isTooLong) return openPrompt(request, undefined);
  const ask = askOf(request);
  return ask && openPrompt(request, ask);
}

function askOf({ permission, metadata, input }: PermissionRequest): PromptAsk | undefined {
  if (permission === 'bash') return bashAsk(metadata, input);
  const [diff, path] = [textAt(metadata, 'diff'), textAt(metadata, 'filepath')];
  if (diff !== undefined && path !== undefined)
    return { kind: 'files', changes: [{ path, how: 'change', content: diff }] };
  const detail = input ?? metadata;
  return detail === undefined ? undefined : toolAsk(permission, detail);
}

/** The request has the command, the arguments of the tool have the rest; undefined if they do not agree. */
function bashAsk(metadata: unknown, input: unknown): PromptAsk | undefined {
  const [told, given] = [textAt(metadata, 'command'), textAt(input, 'command')];
  const command = told ?? given;
  if (command === undefined || (given !== undefined && given !== command)) return undefined;
  return commandAsk('bash', { ...(isObject(input) && input), command });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
