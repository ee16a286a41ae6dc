import { AGENT_GRANTS, type AgentGrant, plainAgentName, RelayError } from '@agent-relay/protocol';
import { removeLocalAgentToken, renameLocalAgentToken, replaceLocalAgentToken } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { oneOf, type ProjectOption, withProject } from '../../options.ts';
import { print } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';
import { knownName } from '../../target/known-name.ts';

type Standing = {
  lead?: boolean;
  type?: 'agent' | 'human';
  grant?: AgentGrant[];
  revoke?: AgentGrant[];
};

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
      .description('Set whether an agent is the lead or human, and what it may do')
      .argument('<agent>', 'agent name')
      .option('--lead', 'make it the lead of the project')
      .option('--no-lead', 'remove it as the lead')
      .addOption(oneOf('--type <type>', 'who uses the name', ['agent', 'human']))
      .option('--grant <list>', `grant permissions: ${AGENT_GRANTS.join(', ')}`, grantList)
      .option('--revoke <list>', 'revoke permissions', grantList)
      .action(async (reference: string, options: ProjectOption & Standing) => {
        const { lead, type, grant, revoke } = options;
        if ([lead, type, grant, revoke].every((value) => value === undefined)) {
          throw new RelayError('InvalidRequest', 'Nothing to change.', {
            next: 'Add --lead, --no-lead, --type, --grant or --revoke.',
          });
        }
        const changes = {
          ...(lead === undefined ? {} : { lead }),
          ...(type === undefined ? {} : { type }),
          ...(grant === undefined ? {} : { grant }),
          ...(revoke === undefined ? {} : { revoke }),
        };
        const now = await asOwner(options, async (relay) => {
          const agent = await knownName(relay, reference);
          return { agent, ...(await relay.request('AGENT_SET', { agent, ...changes })) };
        });
        const allowed = now.grants.length === 0 ? '' : `, may: ${now.grants.join(', ')}`;
        print(`${now.agent}: ${now.type}${now.lead ? ', lead' : ''}${allowed}.`);
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

function grantList(text: string): AgentGrant[] {
  return text.split(',').map((word) => {
    const grant = AGENT_GRANTS.find((one) => one === word.trim());
    if (grant) return grant;
    throw new RelayError('InvalidRequest', `"${word}" cannot be granted.`, {
      next: `Use ${AGENT_GRANTS.join(' or ')}.`,
    });
  });
}
