import { at, textAt } from '../app-server/rpc.ts';
import type { OpenPrompt } from '../clis/adapter.ts';
import { openPrompt } from '../clis/prompt-text.ts';

/** What a session asks its person for, as the plugin tells it. */
export interface PermissionRequest {
  id: string;
  /** The kind of tool: `bash`, `edit`, `webfetch`. */
  permission: string;
  metadata: unknown;
  /** The arguments of the tool. */
  input: unknown;
}

/** Undefined if somebody else wrote it. */
export function permissionFrom(value: unknown): PermissionRequest | undefined {
  const [id, permission] = [textAt(value, 'id'), textAt(value, 'permission')];
  if (id === undefined || permission === undefined) return undefined;
  return { id, permission, metadata: at(value, 'metadata'), input: at(value, 'input') };
}

/** The prompt as a person elsewhere sees it; undefined if nothing says what is asked for. */
export function promptOf(request: PermissionRequest): OpenPrompt | undefined {
  const { permission, metadata, input } = request;
  const command = textAt(metadata, 'command') ?? textAt(input, 'command');
  if (permission === 'bash')
    return command === undefined ? undefined : openPrompt(request, 'Run a command', command);
  const diff = textAt(metadata, 'diff');
  if (diff !== undefined)
    return openPrompt(request, `Change ${textAt(metadata, 'filepath') ?? 'files'}`, diff);
  const detail = input ?? metadata;
  return detail === undefined
    ? undefined
    : openPrompt(request, `Use ${permission}`, JSON.stringify(detail, null, 2));
}
