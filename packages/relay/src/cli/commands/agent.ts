import { RelayError } from '@agent-relay/protocol';
import { removeLocalAgentToken, renameLocalAgentToken, replaceLocalAgentToken } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { oneOf, type ProjectOption, withProject } from '../options.ts';
import { print } from '../output/terminal.ts';
import { asOwner } from '../target/connect.ts';

type Standing = { lead?: boolean; type?: 'agent' | 'human' };

export const command = new Command('agent')
  .description('Manage the agents of the project.')
  .addCommand(
    withProject(new Command('token'))
      .description('Give an agent a new token, for one that was lost or leaked; the old one stops working.')
      .argument('<name>', 'the agent')
      .action(async (agent: string, options: ProjectOption) => {
        const file = await asOwner(options, (relay) =>
          replaceLocalAgentToken(relay.project, agent, (token) =>
            relay.request('TOKEN_ROTATE', { agent, token }),
          ),
        );
        print(`${agent} has a new token, kept in ${file}.`);
        print('Whoever connects from this machine as that agent uses it by itself.');
      }),
  )
  .addCommand(
    withProject(new Command('rename'))
      .description('Give an agent another name; its inbox and its messages stay its own.')
      .argument('<agent>', 'its name')
      .argument('<new-name>', 'its name from now on')
      .action(async (agent: string, name: string, options: ProjectOption) => {
        await asOwner(options, async (relay) => {
          await relay.agents.rename(agent, name);
          await renameLocalAgentToken(relay.project, agent, name);
        });
        print(`${agent} is called ${name} now.`);
      }),
  )
  .addCommand(
    withProject(new Command('set'))
      .description('Make an agent the lead, or say whether it is a person or a program.')
      .argument('<agent>', 'its name')
      .option('--lead', 'it is the lead of the project')
      .option('--no-lead', 'it is not the lead')
      .addOption(oneOf('--type <type>', 'what is behind it', ['agent', 'human']))
      .action(async (agent: string, options: ProjectOption & Standing) => {
        const { lead, type } = options;
        if (lead === undefined && type === undefined) {
          throw new RelayError('InvalidRequest', 'Nothing to change.', {
            next: 'Add --lead, --no-lead or --type.',
          });
        }
        const changes = { ...(lead === undefined ? {} : { lead }), ...(type === undefined ? {} : { type }) };
        const now = await asOwner(options, (relay) => relay.request('AGENT_SET', { agent, ...changes }));
        print(`${agent}: ${now.type}${now.lead ? ', lead' : ''}.`);
      }),
  )
  .addCommand(
    withProject(new Command('remove'))
      .description('Take an agent away: its connections end, its name is free again, what it wrote stays.')
      .argument('<agent>', 'its name')
      .action(async (agent: string, options: ProjectOption) => {
        await asOwner(options, async (relay) => {
          await relay.agents.remove(agent);
          await removeLocalAgentToken(relay.project, agent);
        });
        print(`${agent} is removed.`);
      }),
  );
