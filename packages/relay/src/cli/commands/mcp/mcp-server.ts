import { Command } from 'commander';
import { type ToolsOption, withTools } from '../../options.ts';
import { runMcpServer } from './mcp.ts';

export const command = withTools(new Command('mcp-server'))
  .description('Serve MCP over stdio (toolset: network)')
  .action(({ tools }: ToolsOption) => runMcpServer(tools, 'network'));
