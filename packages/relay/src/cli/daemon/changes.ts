import { withoutPassword } from '../../daemon/settings/locate.ts';
import { FLAGS, longOf, type StartFlags } from '../../daemon/settings/table.ts';

/** What was given to a daemon, beside its settings file. */
interface Given {
  flags: StartFlags;
  variables: Readonly<Record<string, string>>;
}

/** Never shown: whoever looks at the terminal could use it. */
const SECRET = 'RELAY_MCP_API_KEY';
/** Where the settings file is; named only if it changes. */
const USUAL = 'RELAY_CONFIG';

/** For a person: which variables are as before, and what changes. */
export function changesOf({ before, after }: { before: Given; after: Given }): {
  all: string[];
  hasChanged: boolean;
} {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  // Nothing that was given gets lost.
  const names = [...now.keys()].filter((name) => name !== USUAL);
  const changed = names.filter((name) => old.get(name) !== now.get(name));
  const kept = names.filter((name) => !changed.includes(name) && !name.startsWith('--'));
  const line = (what: string, parts: string[]) =>
    parts.length === 0 ? [] : [`${what}: ${parts.join(', ')}`];
  return {
    all: [
      ...line(
        'As before',
        kept.map((name) => shown(name, now.get(name))),
      ),
      ...line(
        'Changed',
        changed.map((name) => {
          const was = old.has(name) ? `before: ${shown(name, old.get(name))}` : 'new';
          return `${shown(name, now.get(name))} (${was})`;
        }),
      ),
    ],
    hasChanged: changed.length > 0,
  };
}

function shown(name: string, value = ''): string {
  if (name === SECRET) return `${name}=***`;
  return `${name}${name.startsWith('--') ? ' ' : '='}${withoutPassword(value)}`;
}

function valuesOf({ flags, variables }: Given): Map<string, string> {
  const ofFlags = [...FLAGS].flatMap((flag): Array<[string, string]> => {
    const value = flags[flag.name];
    return value === undefined ? [] : [[longOf(flag), [value === true ? 'on' : value].flat().join(' ')]];
  });
  return new Map([...ofFlags, ...Object.entries(variables)]);
}
