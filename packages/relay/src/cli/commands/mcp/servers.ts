import { type ServerInfo, type ServerTool, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { tableOrBlocks } from '../../output/blocks.ts';
import { print, printJson, styled } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';
import { approvedText, DIGEST_FLAGS, DIGEST_HELP, reviewTools, type ToReview } from './approve-tools.ts';

type Options = ProjectOption & JsonOption;

const subcommand = (name: string): Command => withJson(withProject(new Command(name)));
const onServer = (name: string): Command => subcommand(name).argument('<server>', 'server name');

/** Reports success: JSON for programs, a sentence for people. */
const tell = ({ json }: JsonOption, result: object, sentence: string): void =>
  json ? printJson(result) : print(sentence);

export const command = new Command('servers')
  .description('Manage the MCP servers of the daemon')
  .addCommand(subcommand('list').description('List servers with their health').action(listServers))
  .addCommand(onServer('tools').description('List the tools of a server').action(listTools))
  .addCommand(
    onServer('add')
      .description('Add a server by its URL and connect')
      .argument('<url>', 'ws, wss, http or https URL')
      .action(async (name: string, url: string, options: Options) => {
        const server = await asOwner(options, (relay) => relay.servers.add(name, url));
        tell(options, server, `Added ${name}: ${stateOf(server)}.`);
      }),
  )
  .addCommand(
    onServer('remove')
      .description('Remove a server')
      .action(async (name: string, options: Options) => {
        await asOwner(options, (relay) => relay.servers.remove(name));
        tell(options, { removed: name }, `Removed ${name}.`);
      }),
  )
  .addCommand(
    onServer('reconnect')
      .description('Connect to a server again')
      .action(async (name: string, options: Options) => {
        const server = await asOwner(options, (relay) => relay.servers.reconnect(name));
        tell(options, server, `Reconnected ${name}: ${stateOf(server)}.`);
      }),
  )
  .addCommand(
    onServer('approve')
      .description('Read the changed tools of a server, or one of them, and approve them')
      .argument('[tool]', 'tool name')
      .option(DIGEST_FLAGS, DIGEST_HELP)
      .action(approve),
  );

async function listServers(options: Options): Promise<void> {
  const { servers, error } = await asOwner(options, (relay) => relay.servers.list());
  if (options.json) return printJson({ servers, ...(error === undefined ? {} : { error }) });
  if (error !== undefined) print(styled('red', safeLine(error)));
  if (servers.length === 0) return print('This daemon has no MCP servers.');
  const rows = servers.map((server) => [
    safeLine(server.name),
    styled(STYLES[server.health] ?? 'dim', server.health),
    String(server.tools),
    safeLine(server.address),
    safeLine(problemOf(server)),
  ]);
  print(tableOrBlocks(['SERVER', 'HEALTH', 'TOOLS', 'ADDRESS', 'PROBLEM'], rows));
}

async function listTools(name: string, options: Options): Promise<void> {
  const tools = await asOwner(options, (relay) => relay.servers.tools(name));
  if (options.json) return printJson(tools);
  if (tools.length === 0) return print(`${name} has no tools.`);
  const rows = tools.map((tool) => [tool.name, noteOf(tool), tool.description ?? ''].map(safeLine));
  print(tableOrBlocks(['TOOL', 'NOTE', 'DESCRIPTION'], rows));
}

async function approve(
  server: string,
  only: string | undefined,
  { digest, ...options }: Options & { digest?: string },
): Promise<void> {
  const show = `agent-relay servers tools ${server} --json`;
  const names = await asOwner(options, async (relay) => {
    const tools = (await relay.servers.tools(server)).flatMap(
      ({ name: tool, digest: known, definition }): ToReview[] =>
        known === undefined || (only !== undefined && tool !== only)
          ? []
          : [
              {
                ...{ server, tool, digest: known, definition },
                approve: () => relay.servers.approve(server, tool, known),
              },
            ],
    );
    if (tools.length === 0) return undefined;
    return (await reviewTools(tools, { digest, show, json: options.json })).map(({ tool }) => tool);
  });
  tell(options, { approved: names ?? [] }, approvedText(names));
}

const STYLES: Partial<Record<ServerInfo['health'], 'green' | 'yellow' | 'red'>> = {
  healthy: 'green',
  degraded: 'yellow',
  failed: 'red',
};

const problemOf = ({ changed, error }: ServerInfo): string =>
  changed ? `changed, not approved: ${changed.join(', ')}` : (error ?? '');
const noteOf = ({ problem, digest }: ServerTool): string =>
  problem === undefined ? (digest === undefined ? '' : 'changed') : 'withheld';
const stateOf = ({ health, tools, error }: ServerInfo): string =>
  error === undefined
    ? `${health}, ${tools} ${tools === 1 ? 'tool' : 'tools'}`
    : `${health}: ${safeLine(error)}`;
