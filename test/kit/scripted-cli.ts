import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./programs/scripted-cli.js', import.meta.url));

/** The settings that make the scripted CLI known as `scripted`. */
export const SCRIPTED_CLI = {
  scripted: {
    command: [process.execPath, PROGRAM],
    model: ['--brain={model}'],
    screen: {
      composer: '^you> ?',
      busy: 'thinking…',
      dialog: '\\[y/n\\]',
      starting: 'Trust this folder\\?',
    },
  },
};

/** What the programs of a log have noted, in order. */
export async function notesIn(log: string): Promise<Array<Record<string, unknown>>> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
