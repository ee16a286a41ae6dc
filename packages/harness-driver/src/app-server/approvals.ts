import type { PromptAsk } from '@agent-relay/protocol';
import type { OpenPrompt } from '../clis/adapter.ts';
import { commandAsk, openPrompt } from '../clis/open-prompt.ts';
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

  /** Undefined if it is not known what exactly changes. */
  ofItem(item: string | undefined): FileChange[] | undefined {
    const changes = item === undefined ? undefined : this.#byItem.get(item);
    if (!Array.isArray(changes) || changes.length === 0) return undefined;
    const known = changes.flatMap((change) => changeFrom(change) ?? []);
    return known.length === changes.length ? known : undefined;
  }
}

type FileChange = Extract<PromptAsk, { kind: 'files' }>['changes'][number];

const HOW: Readonly<Record<string, FileChange['how']>> = { add: 'add', delete: 'delete', update: 'change' };

function changeFrom(value: unknown): FileChange | undefined {
  const [path, content] = [textAt(value, 'path'), textAt(value, 'diff')];
  const how = HOW[textAt(value, 'kind', 'type') ?? ''];
  const to = textAt(value, 'kind', 'move_path');
  if (path === undefined || content === undefined || how === undefined) return undefined;
  return { path, how, ...(to !== undefined && { to }), content };
}

/** A request of the server as a prompt; undefined if only its terminal can answer it. */
export function promptOf(request: RpcMessage, changes: FileChanges): OpenPrompt | undefined {
  const ask = askOf(request, changes);
  const { id, method, params } = request;
  return ask && openPrompt([id, method, params], ask);
}

function askOf({ method, params }: RpcMessage, changes: FileChanges): PromptAsk | undefined {
  const description = textAt(params, 'reason');
  if (method === FILES) {
    const changed = changes.ofItem(textAt(params, 'itemId'));
    // A grant for a whole directory is more than these changes.
    if (changed === undefined || textAt(params, 'grantRoot') !== undefined) return undefined;
    return { kind: 'files', changes: changed, ...(description !== undefined && { description }) };
  }
  const command = textAt(params, 'command');
  // Those grant more than this command.
  const isMore = at(params, 'networkApprovalContext') || at(params, 'additionalPermissions');
  const isPlain = method === COMMAND && [undefined, 'command'].includes(textAt(params, 'kind')) && !isMore;
  return isPlain && command !== undefined ? commandAsk('shell', { command, description }) : undefined;
}
