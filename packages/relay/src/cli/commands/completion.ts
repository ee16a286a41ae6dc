import { Argument, Command, Option } from 'commander';
import { candidates } from '../completion/candidates.ts';
import { projectNames } from '../completion/names.ts';
import { SCRIPTS, type Shell } from '../completion/scripts.ts';
import { print } from '../output/terminal.ts';

export const command = new Command('completion')
  .description('Print a completion script for your shell')
  .addArgument(new Argument('<shell>', 'shell').choices(Object.keys(SCRIPTS)))
  .argument('[words...]', 'words typed so far (used by the script)')
  .addOption(new Option('--complete').hideHelp())
  .action(async (shell: Shell, words: string[], options: { complete?: boolean }, { parent }: Command) => {
    if (!options.complete || parent === null) return print(SCRIPTS[shell]);
    const found = await candidates(parent, words, projectNames(words));
    if (found.length > 0) print(found.join('\n'));
  });
