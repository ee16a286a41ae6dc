import { plainAgentName, RelayError } from '@agent-relay/protocol';
import { removeLocalAgentToken, renameLocalAgentToken, replaceLocalAgentToken } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { oneOf, type ProjectOption, withProject } from '../options.ts';
import { print } from '../output/terminal.ts';
import { asOwner } from '../target/connect.ts';
import { knownName } from '../target/known-name.ts';

type Standing = { lead?: boolean; type?: 'agent' | 'human' };

export const command = new Command('agent')
  .description('Manage the agents of a project')
  .addCommand(
    withProject(new Command('token'))
      .description('Replace the token of an agent; the old one stops working')
      .argument('<name>', 'agent name')
      .action(async (reference: string, options: ProjectOption) => {
        const { agent, file } = await asOwner(options, async (relay) => {
          const agent = await knownName(relay, reference);
          const register = (token: string) => relay.request('TOKEN_ROTATE', { agent, token });
          return { agent, file: await replaceLocalAgentToken(relay.project, agent, register) };
        });
        print(`Replaced the token of ${agent}. The new one is in ${file}.`);
        print('Programs on this machine that connect as this agent use it automatically.');
      }),
  )
  .addCommand(
    withProject(new Command('rename'))
      .description('Rename an agent; it keeps its inbox and messages')
      .argument('<agent>', 'agent name')
      .argument('<new-name>', 'new name')
      .action(async (reference: string, newName: string, options: ProjectOption) => {
        const name = plainAgentName(newName);
        const agent = await asOwner(options, async (relay) => {
          const before = await knownName(relay, reference);
          await relay.agents.rename(before, name);
          await renameLocalAgentToken(relay.project, before, name);
          return before;
        });
        print(`Renamed ${agent} to ${name}.`);
      }),
  )
  .addCommand(
    withProject(new Command('set'))
      .description('Set whether an agent is the lead, and whether it is human')
      .argument('<agent>', 'agent name')
      .option('--lead', 'make it the lead of the project')
      .option('--no-lead', 'it is no longer the lead')
      .addOption(oneOf('--type <type>', 'who is behind the name', ['agent', 'human']))
      .action(async (reference: string, options: ProjectOption & Standing) => {
        const { lead, type } = options;
        if (lead === undefined && type === undefined) {
          throw new RelayError('InvalidRequest', 'Nothing to change.', {
            next: 'Add --lead, --no-lead or --type.',
          });
        }
        const changes = { ...(lead === undefined ? {} : { lead }), ...(type === undefined ? {} : { type }) };
        const now = await asOwner(options, async (relay) => {
          const agent = await knownName(relay, reference);
          return { agent, ...(await relay.request('AGENT_SET', { agent, ...changes })) };
        });
        print(`${now.agent}: ${now.type}${now.lead ? ', lead' : ''}.`);
      }),
  )
  .addCommand(
    withProject(new Command('remove'))
      .description('Remove an agent and disconnect it; its messages stay')
      .argument('<agent>', 'agent name')
      .action(async (reference: string, options: ProjectOption) => {
        const agent = await asOwner(options, async (relay) => {
          const known = await knownName(relay, reference);
          await relay.agents.remove(known);
          await removeLocalAgentToken(relay.project, known);
          return known;
        });
        print(`Removed ${agent}.`);
      }),
  );
