import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { RelayError } from '@agent-relay/protocol';
import type { Appended, MessageDraft } from '../../core/ports/store/messages.ts';
import type { Store } from '../../core/ports/store.ts';
import { draftValues } from '../append.ts';
import { GroupCommit, type Outcome } from '../group-commit.ts';
import type { StoreOptions } from '../options.ts';
import { commands, methodsOf, queries } from '../scripts/index.ts';
import { methodsInSteps } from '../steps.ts';
import { cannotOpen } from './files.ts';
import { holdFile } from './held-file.ts';
import { Thread, toError } from './thread.ts';
import type { AppendCall, Call } from './threads.ts';

/** A store in one SQLite file: one thread writes, one reads. */
export async function openSqliteStore(path: string, { daemon, onFatal }: StoreOptions): Promise<Store> {
  const release = daemon === undefined ? undefined : await holdFor(path);
  const writer = new Thread({ path, role: 'writer' }, onFatal);
  const reader = new Thread({ path, role: 'reader' }, onFatal);
  try {
    await writer.ask('open');
    await reader.ask('open');
  } catch (error) {
    await Promise.all([writer.close(), reader.close()]);
    release?.();
    throw error;
  }

  const writes = new GroupCommit<Call>((calls) => commit(writer, calls));
  const scripted = {
    ...methodsOf(queries, async (call) => (await reader.ask([call])).values[0]),
    ...methodsOf(commands, (call) => writes.submit(call)),
  };
  const inSteps = methodsInSteps(scripted);
  let isClosing = false;
  /** Shrinks the file after deletions, when there are no writes. */
  const shrink = async () => {
    while (!isClosing && (await writes.submitInBackground(['shrink'])) !== 0);
  };
  return {
    kind: 'sqlite',
    isShared: false,
    ...scripted,
    ...inSteps,
    async deleteMessagesBefore(before, limit) {
      const deleted = await scripted.deleteMessagesBefore(before, limit);
      if (deleted === 0) await shrink();
      return deleted;
    },
    async removeWorkspace(workspace, at) {
      await inSteps.removeWorkspace(workspace, at);
      await shrink();
    },
    indexForSearch: (limit) => writes.submitInBackground(['indexForSearch', limit]) as Promise<number>,
    async appendMessage(draft) {
      const call = appendCall(draft);
      const result = (await writes.submit(call)) as number | Appended;
      return typeof result === 'number' ? newlyAppended(draft, result, call.recipients as number[]) : result;
    },
    async close() {
      isClosing = true;
      // The reader first: the last one to close checkpoints the log. It refuses new reads from now on.
      await Promise.all([reader.close(), writes.settled()]);
      await writer.close();
      release?.();
    },
  };
}

/** Keeps other daemons from the file, whatever name it has for them; the returned function ends that. */
async function holdFor(path: string): Promise<() => void> {
  const file = existsSync(path) ? await realpath(path) : path;
  const release = await holdFile(`${file}-daemon`).catch((cause) => {
    throw cannotOpen(path, cause);
  });
  if (release) return release;
  throw new RelayError('DatabaseInUse', `The database ${path} is used by another daemon on this machine.`);
}

function appendCall(draft: MessageDraft): AppendCall {
  const { audience, mentions, attachments } = draft;
  const call: AppendCall = {
    values: draftValues(draft),
    recipients: audience.kind === 'agents' ? audience.ids : audience.kind,
  };
  if (mentions.length > 0) call.mentioned = mentions.map(({ id }) => id);
  if (attachments.length > 0) call.attached = attachments.map(({ id }) => id);
  return call;
}

const newlyAppended = (draft: MessageDraft, seq: number, recipients: number[]): Appended => ({
  seq,
  id: draft.id,
  thread: draft.thread,
  recipients,
  duplicate: 'no',
});

async function commit(writer: Thread, calls: Call[]): Promise<Outcome[]> {
  try {
    const { values, failures } = await writer.ask(calls);
    const outcomes: Outcome[] = values.map((value) => ({ value }));
    for (const { index, failure } of failures) outcomes[index] = { error: toError(failure) };
    return outcomes;
  } catch (error) {
    return calls.map(() => ({ error: error as RelayError }));
  }
}
