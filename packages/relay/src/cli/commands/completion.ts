import { Argument, Command, Option } from 'commander';
import { candidates } from '../completion/candidates.ts';
import { projectNames } from '../completion/names.ts';
import { SCRIPTS, type Shell } from '../completion/scripts.ts';
import { print } from '../output/terminal.ts';

export const command = new Command('completion')
  .description('Print the script that lets your shell complete commands, agents and channels.')
  .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
  .argument('[words...]', 'what was typed so far, when the script asks')
  .addOption(new Option('--complete').hideHelp())
  .action(async (shell: Shell, words: string[], options: { complete?: boolean }, { parent }: Command) => {
    if (!options.complete || parent === null) return print(SCRIPTS[shell]);
    const found = await candidates(parent, words, projectNames(words));
    if (found.length > 0) print(found.join('\n'));
  });
