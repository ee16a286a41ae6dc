/** One system call of a trace, with the positions of its start and end. */
export interface TracedCall {
  name: string;
  text: string;
  begin: number;
  end: number;
}

/** Parses the output of `strace -f`; joins calls that were split by another thread's line. */
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
 * The marks (one per message) that the daemon sent to a socket before the log they were written to was
 * synced. Marks never written or never sent are reported too: the trace must be complete.
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
