import { isRelayError, RelayError } from '@agent-relay/protocol';
import type { ConfiguredCli, Processes } from '../ports/processes.ts';

/** The agent CLIs that can be named in SPAWN; each is started by the command of the same name. */
const KNOWN = ['claude', 'codex', 'gemini', 'opencode', 'droid', 'agent'] as const;

export interface Cli {
  word: string;
  command: string;
  configured: ConfiguredCli | undefined;
}

/** The CLI for a word: a configured one, else a built-in one. A word is never a command line. */
export function cliOf(word: string, configured: Readonly<Record<string, ConfiguredCli>>): Cli {
  const own = Object.hasOwn(configured, word) ? configured[word] : undefined;
  const [command = word] = own?.command ?? [];
  if (own || KNOWN.some((known) => known === word)) return { word, command, configured: own };
  const known = knownWords(configured).join(', ');
  throw new RelayError('UnknownCli', `There is no agent CLI "${word}". Known ones: ${known}.`);
}

/** The words that `cliOf` knows, whether or not the program is installed. */
const knownWords = (configured: Readonly<Record<string, ConfiguredCli>>): string[] => [
  ...new Set([...KNOWN, ...Object.keys(configured)]),
];

/** The CLIs that can be named, and whether the daemon finds their programs. */
export const knownClis = (
  configured: Readonly<Record<string, ConfiguredCli>>,
  processes: Processes,
): Promise<Array<{ name: string; installed: boolean }>> =>
  Promise.all(
    knownWords(configured).map(async (name) => {
      const { command } = cliOf(name, configured);
      // Of a program in the project's directory this is not asked: it is known when it is started.
      const place = { cwd: '/', root: undefined, env: undefined };
      const installed = await processes.locate({ command, ...place }).then(
        () => true,
        (error: unknown) => {
          if (isRelayError(error, 'CommandNotFound')) return false;
          throw error;
        },
      );
      return { name, installed };
    }),
  );
