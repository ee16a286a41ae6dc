import { createHash } from 'node:crypto';
import { PROMPT_TEXT_LIMIT, safeText } from '@agent-relay/protocol';
import type { OpenPrompt } from '../clis/adapter.ts';
import { at, type RpcMessage, textAt } from './rpc.ts';

const COMMAND = 'item/commandExecution/requestApproval';
const FILES = 'item/fileChange/requestApproval';

/** What the server takes as the answers that its terminal offers as "Yes, proceed" and "No, continue without". */
export const DECISIONS = { allow: { decision: 'accept' }, deny: { decision: 'decline' } } as const;

/** The changes of files that the thread is about to make, by the item they belong to: the request itself does not name them. */
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

/** The prompt that a request of the server is for its person; undefined for one that only its terminal can answer. */
export function promptOf(request: RpcMessage, changes: FileChanges): OpenPrompt | undefined {
  const text = textOf(request, changes);
  if (text === undefined) return undefined;
  const { id, method, params } = request;
  const digest = createHash('sha256')
    .update(JSON.stringify([id, method, params]))
    .digest('hex');
  return { digest, text: capped(safeText(text)) };
}

function textOf({ method, params }: RpcMessage, changes: FileChanges): string | undefined {
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

const joined = (what: string, detail: string, reason: string | undefined): string =>
  `${reason === undefined ? what : `${what}: ${reason}`}\n${detail}`;

const capped = (text: string): string =>
  text.length <= PROMPT_TEXT_LIMIT ? text : `${text.slice(0, PROMPT_TEXT_LIMIT - 1)}…`;
