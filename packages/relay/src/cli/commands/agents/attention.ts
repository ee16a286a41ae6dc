import { ATTENTIONS, RelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Argument, Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withAgent,
  withJson,
  withProject,
} from '../../options.ts';
import { withHelpList } from '../../output/help-list.ts';
import { print, printJson } from '../../output/terminal.ts';
import { asAgent, asOwner } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption;

const DEFAULT = 'default';

const TEXTS = {
  now: 'as soon as its CLI accepts them',
  'next-tool-call': 'with its next tool call',
  'end-of-turn': 'after its turn',
  default: 'after its turn, urgent ones as soon as its CLI accepts them',
} as const;

export const command = withHelpList(withAgent(withJson(withProject(new Command('attention')))), 'When', TEXTS)
  .description('Choose when an agent gets its messages while it works')
  .addArgument(new Argument('<when>', 'when to deliver them').choices([...ATTENTIONS, DEFAULT]))
  .argument('[agent]', 'agent name (default: the agent of this terminal)')
  .action(async (when: string, agent: string | undefined, options: Options) => {
    const attention = ATTENTIONS.find((one) => one === when);
    if (agent === undefined && options.as === undefined && !process.env.RELAY_AGENT_NAME)
      throw new RelayError('InvalidRequest', 'This terminal does not belong to an agent.', {
        next: `Name the agent: agent-relay attention ${when} <agent>`,
      });
    const choose = async (relay: Relay) => {
      const set = await relay.setAttention(attention, agent === undefined ? {} : { agent });
      return { set, isTyped: await isOnlyTyped(relay, set.agent) };
    };
    const { set: chosen, isTyped } = await (agent === undefined ? asAgent : asOwner)(options, choose);
    if (options.json) return printJson(chosen);
    print(`${chosen.agent} gets its messages ${TEXTS[chosen.attention ?? DEFAULT]}.`);
    if (isTyped && DURING_A_TURN.has(chosen.attention))
      print('They are typed into its terminal, so they always come after its turn.');
  });

const DURING_A_TURN: ReadonlySet<string | undefined> = new Set(['now', 'next-tool-call']);

/** Nothing is typed during a turn: Enter could approve what the agent asks. */
async function isOnlyTyped(relay: Relay, agent: string): Promise<boolean> {
  const [found] = await relay.who({ agent });
  return found !== undefined && found.paths.length > 0 && found.paths.every(({ path }) => path === 'pty');
}
