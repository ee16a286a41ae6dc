import { type AgentOffer, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../options.ts';
import { print, printJson, styled, table } from '../output/terminal.ts';
import { asOwner } from '../target/connect.ts';

type Options = ProjectOption & JsonOption & { capability?: string; tool?: string };

export const command = withJson(withProject(new Command('capabilities')))
  .description('List what online agents say they can do, and their tools')
  .option('--capability <name>', 'only agents with this capability')
  .option('--tool <name>', 'only agents with this tool')
  .action(async (options: Options) => {
    const { capability, tool } = options;
    const wanted = { ...(capability && { capability }), ...(tool && { tool }) };
    const agents = await asOwner(options, (relay) => relay.discover(wanted));
    if (options.json) return printJson(agents);
    if (agents.length === 0) return print('No agents online offer this.');
    print(table([TITLES.map((title) => styled('dim', title)), ...agents.map(row)]));
  });

const TITLES = ['AGENT', 'CAPABILITIES', 'TOOLS'];

const row = ({ name, capabilities, tools }: AgentOffer): string[] =>
  [name, capabilities.join(', ') || '-', tools.join(', ') || '-'].map(safeLine);
