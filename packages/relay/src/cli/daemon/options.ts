import { type Command, Option } from 'commander';
import { FLAGS } from '../../daemon/settings/table.ts';
import { collect } from '../options.ts';

/** Options of commands that start a daemon. */
export function withDaemonSettings(command: Command): Command {
  command.option('--project <name>', 'project name for this directory');
  for (const { words, help, repeatable, onlyUp } of FLAGS) {
    if (onlyUp && command.name() !== 'up') continue;
    const option = new Option(words, help);
    command.addOption(repeatable ? option.argParser(collect) : option);
  }
  return command;
}
