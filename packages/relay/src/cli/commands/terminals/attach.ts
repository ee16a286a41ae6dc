import { RelayError } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type ProjectOption, withProject } from '../../options.ts';
import { print } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & { watch?: boolean; drive?: boolean; take?: boolean };

export const command = withProject(new Command('attach'))
  .description('Show the terminal of an agent, and type in it')
  .argument('<agent>', 'agent name')
  .option('--watch', 'only look')
  .option(
    '--drive',
    'look and type, or fail if somebody else types (default: type unless somebody else does)',
  )
  .option('--take', 'take the keyboard from whoever types')
  .addHelpText(
    'after',
    `
Keys:
  Ctrl-] d       detach; the agent goes on
  Ctrl-] h       hold its messages, or release them
  Ctrl-] t       take the keyboard from whoever types
  Ctrl-] ?       show these keys
  Ctrl-] Ctrl-]  Ctrl-] for the program`,
  )
  .action(async (agent: string, options: Options) => {
    const { watch = false, drive = false, take = false } = options;
    if (watch && (drive || take))
      throw new RelayError('InvalidRequest', '--watch only looks.', { next: 'Remove --watch.' });
    const mode = watch ? 'watch' : drive || take ? 'drive' : undefined;
    const { attachTerminal } = await import('@agent-relay/harness-driver');
    const end = await asOwner(options, (relay) => attachTerminal({ relay, agent, mode, takeover: take }), {
      reconnect: true,
    });
    if (end.how === 'detached') return print(`[detached from ${agent}]`);
    const { exit } = end;
    const how = exit && (exit.signal ? ` by ${exit.signal}` : ` with exit code ${exit.code}`);
    print(`[${agent} ended${how ?? ''}]`);
  });
