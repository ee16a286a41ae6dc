import { type AgentOffer, isRelayError, type OfferedTool, safeLine } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { block, inColumns } from '../../output/blocks.ts';
import { print, printJson, styled } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption & { capability?: string; tool?: string };

export const command = withJson(withProject(new Command('capabilities')))
  .description('List what online agents say they can do, and their tools')
  .option('--capability <name>', 'only agents with this capability')
  .option('--tool <name>', 'only agents with this tool')
  .action(async (options: Options) => {
    const { capability, tool } = options;
    const wanted = { ...(capability && { capability }), ...(tool && { tool }) };
    const agents = await asOwner(options, async (relay) =>
      Promise.all((await relay.discover(wanted)).map((agent) => withTools(relay, agent))),
    );
    if (options.json) return printJson(agents);
    if (agents.length === 0)
      return print(capability || tool ? 'No agent online offers this.' : 'No agent online offers anything.');
    print(styled('dim', inColumns('What agents say they can do. The relay does not check it.')));
    for (const agent of agents) print(`\n${offerBlock(agent)}`);
  });

interface Shown extends Omit<AgentOffer, 'tools'> {
  tools: OfferedTool[];
}

/** Its tools with descriptions and schemas; none of an agent that was removed just now. */
async function withTools(relay: Relay, agent: AgentOffer): Promise<Shown> {
  if (agent.tools.length === 0) return { ...agent, tools: [] };
  try {
    return { ...agent, tools: await relay.tools(agent.name) };
  } catch (error) {
    if (!isRelayError(error, 'AgentNotFound')) throw error;
    return { ...agent, tools: [] };
  }
}

const offerBlock = ({ name, capabilities, descriptions = {}, tools }: Shown): string =>
  block(safeLine(name), [
    [
      'capabilities',
      capabilities.map((category) =>
        safeLine([category, descriptions[category]].filter((part) => part !== undefined).join(': ')),
      ),
    ],
    ['tools', tools.map((tool) => safeLine(`${tool.name}: ${tool.description}`))],
  ]);
