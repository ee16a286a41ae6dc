import { type AgentOffer, isRelayError, type OfferedTool, safeLine } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, wholeNumber, withJson, withProject } from '../../options.ts';
import { block, inColumns } from '../../output/blocks.ts';
import { plural, print, printJson, styled } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption & { capability?: string; tool?: string; limit?: number };

/** For people; JSON has all agents, unless a limit is given. */
const DEFAULT_LIMIT = 50;

export const command = withJson(withProject(new Command('capabilities')))
  .description('List what online agents say they can do, and their tools')
  .option('--capability <name>', 'only agents with this capability')
  .option('--tool <name>', 'only agents with this tool')
  .option(
    '--limit <count>',
    `maximum number of agents (default: ${DEFAULT_LIMIT}; with --json: all)`,
    wholeNumber(1),
  )
  .action(async (options: Options) => {
    const { capability, tool, json, limit = json ? undefined : DEFAULT_LIMIT } = options;
    const wanted = { ...(capability && { capability }), ...(tool && { tool }) };
    const { agents, more } = await asOwner(options, async (relay) => {
      const found = await relay.discover(wanted);
      const shown = found.slice(0, limit);
      const agents = await Promise.all(shown.map((agent) => withTools(relay, agent)));
      return { agents, more: found.length - shown.length };
    });
    if (json) return printJson(agents);
    if (agents.length === 0)
      return print(capability || tool ? 'No agent online offers this.' : 'No agent online offers anything.');
    print(styled('dim', inColumns('What agents say they can do. The relay does not check it.')));
    for (const agent of agents) print(`\n${offerBlock(agent)}`);
    if (more > 0) {
      const all = agents.length + more;
      print(
        `\n${inColumns(`${plural(more, 'more agent')}. Filter with --capability or --tool, or show all with --limit ${all}.`)}`,
      );
    }
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
