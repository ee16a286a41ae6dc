import { nameKey, RelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../options.ts';
import { print, printJson, styled, table, when } from '../output/terminal.ts';
import { asDaemonOwner, asOwner } from '../target/connect.ts';
import { recordRename } from '../target/project.ts';

type Options = ProjectOption & JsonOption;

const keys = new Command('key')
  .description('Manage the keys by which remote agents enter a workspace.')
  .addCommand(
    withJson(withProject(new Command('create')))
      .description('Create one more key and print it, once.')
      .action(async (options: Options) => {
        const created = await asOwner(options, (relay) => relay.request('KEY_CREATE', {}));
        if (options.json) return printJson(created);
        printKey(created);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List the keys by their ids; the keys themselves are not kept.')
      .action(listKeys),
  )
  .addCommand(
    withJson(withProject(new Command('rotate')))
      .description('Create a new key and revoke all others; their connections are closed.')
      .action(async (options: Options) => {
        const rotated = await asOwner(options, (relay) => relay.request('KEY_ROTATE', {}));
        if (options.json) return printJson(rotated);
        if (rotated.revoked.length > 0) print(`Revoked: ${rotated.revoked.join(', ')}`);
        printKey(rotated);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('revoke')))
      .description('Revoke a key; its connections are closed.')
      .argument('<id>', 'the id of the key, as in: agent-relay workspace key list')
      .action(async (keyId: string, options: Options) => {
        await asOwner(options, (relay) => relay.request('KEY_REVOKE', { keyId }));
        if (options.json) return printJson({ revoked: [keyId] });
        print(`Key ${keyId} is revoked.`);
      }),
  );

export const command = new Command('workspace')
  .description('Manage workspaces: the projects of this daemon, and the keys to them.')
  .addCommand(
    withJson(withProject(new Command('create')))
      .description('Create a workspace and print its key, once.')
      .argument('<name>', 'its name')
      .action(async (name: string, options: Options) => {
        const created = await asDaemonOwner(options, (relay) => relay.request('WORKSPACE_CREATE', { name }));
        if (options.json) return printJson(created);
        print(`Workspace ${created.name} is created.`);
        printKey(created);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List the workspaces of this daemon.')
      .action(listWorkspaces),
  )
  .addCommand(
    withJson(withProject(new Command('rename')))
      .description('Give a workspace another name.')
      .argument('<workspace>', 'its name')
      .argument('<new-name>', 'its name from now on')
      .action(async (workspace: string, name: string, options: Options) => {
        const { before, renamed } = await asDaemonOwner(options, async (relay) => ({
          before: await spelled(relay, workspace),
          renamed: await relay.workspaces.rename(workspace, name),
        }));
        const places = await recordRename(before, renamed);
        if (options.json) return printJson({ ...renamed, ...places });
        print(`${before} is called ${renamed.name} now.`);
        tellWhoNames(before, renamed.name, places);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('remove')))
      .description('Delete a workspace with everything in it: agents, messages, files.')
      .argument('<workspace>', 'its name')
      .option('--yes', 'do it; nothing brings it back')
      .action(async (workspace: string, options: Options & { yes?: boolean }) => {
        if (!options.yes) throw wantsYes(workspace);
        await asDaemonOwner(options, (relay) => relay.workspaces.remove(workspace));
        if (options.json) return printJson({ removed: workspace });
        print(`${workspace} is deleted.`);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('grant')))
      .description('Let an agent from another machine write into another workspace.')
      .argument('<agent>', 'the agent, of this project')
      .argument('<workspace>', 'where it may write')
      .option('--undo', 'no longer')
      .action(async (agent: string, workspace: string, options: Options & { undo?: boolean }) => {
        const allowed = options.undo !== true;
        await asOwner(options, (relay) => relay.agents.grant(agent, workspace, { allowed }));
        if (options.json) return printJson({ allowed });
        print(`${agent} may ${allowed ? 'now' : 'no longer'} write into ${workspace}.`);
      }),
  )
  .addCommand(keys);

/** The name as the daemon spells it, and so do the records of it. */
async function spelled(relay: Relay, workspace: string): Promise<string> {
  const { workspaces } = await relay.request('WORKSPACE_LIST', {});
  return workspaces.find(({ name }) => nameKey(name) === nameKey(workspace))?.name ?? workspace;
}

/** A project is known by its name in more places than the relay can change. */
function tellWhoNames(
  before: string,
  name: string,
  { recorded, unrecorded }: Awaited<ReturnType<typeof recordRename>>,
): void {
  for (const root of recorded) print(`Recorded in ${root}.`);
  for (const root of unrecorded)
    print(`${root} does not record the new name: its .relay/config.json cannot be read or written.`);
  if (process.env.RELAY_PROJECT && nameKey(process.env.RELAY_PROJECT) === nameKey(before))
    print(`RELAY_PROJECT still says ${before}: set it to ${name}.`);
  if (recorded.length + unrecorded.length === 0)
    print('In its directory, record the new name with: agent-relay daemon start');
  print(`Clients that are connected stay so. Whoever asks for ${before} from now on is told the new name.`);
}

const wantsYes = (workspace: string): RelayError =>
  new RelayError('InvalidRequest', `Everything in ${workspace} would be deleted.`, {
    next: `If that is what you want: agent-relay workspace remove ${workspace} --yes`,
  });

async function listWorkspaces(options: Options): Promise<void> {
  const { workspaces } = await asDaemonOwner(options, (relay) => relay.request('WORKSPACE_LIST', {}));
  if (options.json) return printJson(workspaces);
  const header = ['NAME', 'AGENTS', 'CREATED'].map((title) => styled('dim', title));
  print(
    table([
      header,
      ...workspaces.map(({ name, agents, createdAt }) => [name, String(agents), when(createdAt)]),
    ]),
  );
}

async function listKeys(options: Options): Promise<void> {
  const { keys: known } = await asOwner(options, (relay) => relay.request('KEY_LIST', {}));
  if (options.json) return printJson(known);
  if (known.length === 0)
    return print('The workspace has no keys: only agents of this machine can enter it.');
  const header = ['ID', 'CREATED', 'STATE'].map((title) => styled('dim', title));
  const rows = known.map(({ id, createdAt, revokedAt }) => [
    id,
    when(createdAt),
    revokedAt === undefined ? styled('green', 'valid') : styled('dim', `revoked ${when(revokedAt)}`),
  ]);
  print(table([header, ...rows]));
}

function printKey({ key, keyId }: { key: string; keyId: string }): void {
  print(`Key ${keyId}, shown only now:`);
  print(key);
  print('Give it to a remote agent in the variable RELAY_WORKSPACE_KEY, never on a command line.');
}
