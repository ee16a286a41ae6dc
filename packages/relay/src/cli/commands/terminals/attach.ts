import { RelayError } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type ProjectOption, withProject } from '../../options.ts';
import { withHelpList } from '../../output/help-list.ts';
import { print } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & { watch?: boolean; drive?: boolean; take?: boolean };

const KEYS = {
  'Ctrl-] d': 'detach; the agent keeps running',
  'Ctrl-] h': 'hold its messages, or deliver them',
  'Ctrl-] t': 'take over the keyboard',
  'Ctrl-] ?': 'show these keys',
  'Ctrl-] Ctrl-]': 'send Ctrl-] to the program',
};

export const command = withHelpList(withProject(new Command('attach')), 'Keys', KEYS)
  .description('Show the terminal of an agent, and type in it')
  .argument('<agent>', 'agent name')
  .option('--watch', 'watch only')
  .option('--drive', 'type, or fail if someone else is typing (default: type unless someone else is)')
  .option('--take', 'take over the keyboard')
  .action(async (agent: string, options: Options) => {
    const { watch = false, drive = false, take = false } = options;
    if (watch && (drive || take))
      throw new RelayError('InvalidRequest', '--watch cannot be combined with --drive or --take.', {
        next: 'Remove --watch.',
      });
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
