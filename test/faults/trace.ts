/** One system call of a trace, with the places in the trace where it began and where it was over. */
export interface TracedCall {
  name: string;
  text: string;
  begin: number;
  end: number;
}

/** Reads the output of `strace -f`: calls that were interrupted by another thread's line are put together again. */
export function parseTrace(trace: string): TracedCall[] {
  const calls: TracedCall[] = [];
  const unfinished = new Map<string, TracedCall>();
  trace.split('\n').forEach((line, place) => {
    const resumed = /^(\d+) +<\.\.\. (\w+) resumed>(.*)$/.exec(line);
    const started = /^(\d+) +(\w+)\((.*)$/.exec(line);
    if (resumed) {
      const call = unfinished.get(resumed[1] ?? '');
      if (call) call.end = place;
      unfinished.delete(resumed[1] ?? '');
    } else if (started) {
      const [, thread = '', name = '', text = ''] = started;
      const call = { name, text, begin: place, end: place };
      calls.push(call);
      if (text.endsWith('<unfinished ...>')) {
        call.end = Number.POSITIVE_INFINITY;
        unfinished.set(thread, call);
      }
    }
  });
  return calls;
}

const isSync = ({ name }: TracedCall) => name === 'fsync' || name === 'fdatasync';
const isOfLog = ({ text }: TracedCall) => /^\d+<[^>]*-wal>/.test(text);
const isToSocket = ({ text }: TracedCall) => /^\d+<(UNIX|socket):/.test(text);

/**
 * The words (each the mark of one message) that the daemon sent to a socket before the log they were written to was
 * synced. A word the daemon never wrote or never sent is reported too: the audit must have seen everything.
 */
export function sentBeforeSynced(calls: TracedCall[], words: string[]): string[] {
  const toLog = calls.filter((call) => !isSync(call) && isOfLog(call));
  const syncs = calls.filter((call) => isSync(call) && isOfLog(call));
  const toSocket = calls.filter(isToSocket);
  return words.filter((word) => {
    const written = toLog.find(({ text }) => text.includes(word));
    const sent = toSocket.find(({ text }) => text.includes(word));
    if (!written || !sent) return true;
    const synced = syncs.find(({ begin }) => begin > written.end);
    return synced === undefined || synced.end >= sent.begin;
  });
}
