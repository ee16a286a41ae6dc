import type { OpenPrompt } from '../clis/adapter.ts';
import { openPrompt } from '../clis/prompt-text.ts';
import { at, type RpcMessage, textAt } from './rpc.ts';

const COMMAND = 'item/commandExecution/requestApproval';
const FILES = 'item/fileChange/requestApproval';

/** The decisions behind "Yes, proceed" and "No, continue without" in its terminal. */
export const DECISIONS = { allow: { decision: 'accept' }, deny: { decision: 'decline' } } as const;

/** The file changes that the thread is about to make, by item: the request itself does not list them. */
export class FileChanges {
  readonly #byItem = new Map<string, unknown>();

  notified({ method, params }: RpcMessage): void {
    const id = textAt(params, 'item', 'id');
    if (id === undefined || at(params, 'item', 'type') !== 'fileChange') return;
    if (method === 'item/started') this.#byItem.set(id, at(params, 'item', 'changes'));
    if (method === 'item/completed') this.#byItem.delete(id);
  }

  textOf(item: string | undefined): string | undefined {
    const changes = item === undefined ? undefined : this.#byItem.get(item);
    if (!Array.isArray(changes)) return undefined;
    return changes
      .map((change) => [textAt(change, 'path'), textAt(change, 'diff')].filter(Boolean).join('\n'))
      .join('\n');
  }
}

/** A request of the server as a prompt; undefined if only its terminal can answer it. */
export function promptOf(request: RpcMessage, changes: FileChanges): OpenPrompt | undefined {
  const text = textOf(request, changes);
  if (text === undefined) return undefined;
  const { id, method, params } = request;
  return openPrompt([id, method, params], ...text);
}

function textOf(
  { method, params }: RpcMessage,
  changes: FileChanges,
): [what: string, detail: string] | undefined {
  const reason = textAt(params, 'reason');
  if (method === FILES) {
    const changed = changes.textOf(textAt(params, 'itemId'));
    // A grant for a whole directory is more than these changes.
    if (changed === undefined || textAt(params, 'grantRoot') !== undefined) return undefined;
    return joined('Change files', changed, reason);
  }
  const command = textAt(params, 'command');
  const isPlain =
    method === COMMAND &&
    [undefined, 'command'].includes(textAt(params, 'kind')) &&
    !at(params, 'networkApprovalContext');
  return isPlain && command !== undefined ? joined('Run a command', command, reason) : undefined;
}

const joined = (what: string, detail: string, reason: string | undefined): [what: string, detail: string] => [
  reason === undefined ? what : `${what}: ${reason}`,
  detail,
];
