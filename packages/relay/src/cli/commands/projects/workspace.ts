import { nameKey, RelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { print, printJson, styled, table, when } from '../../output/terminal.ts';
import { asDaemonOwner, asOwner } from '../../target/connect.ts';
import { recordRename } from '../../target/project.ts';

type Options = ProjectOption & JsonOption;

const keys = new Command('key')
  .description('Manage workspace keys for remote agents')
  .addCommand(
    withJson(withProject(new Command('create')))
      .description('Create a key and show it once')
      .action(async (options: Options) => {
        const created = await asOwner(options, (relay) => relay.request('KEY_CREATE', {}));
        if (options.json) return printJson(created);
        printKey(created);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List keys by id; the keys themselves are not stored')
      .action(listKeys),
  )
  .addCommand(
    withJson(withProject(new Command('rotate')))
      .description('Create a key and revoke all others, closing their connections')
      .action(async (options: Options) => {
        const rotated = await asOwner(options, (relay) => relay.request('KEY_ROTATE', {}));
        if (options.json) return printJson(rotated);
        if (rotated.revoked.length > 0) print(`Revoked: ${rotated.revoked.join(', ')}`);
        printKey(rotated);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('revoke')))
      .description('Revoke a key and close its connections')
      .argument('<id>', 'key id, from: agent-relay workspace key list')
      .action(async (keyId: string, options: Options) => {
        await asOwner(options, (relay) => relay.request('KEY_REVOKE', { keyId }));
        if (options.json) return printJson({ revoked: [keyId] });
        print(`Revoked key ${keyId}.`);
      }),
  );

export const command = new Command('workspace')
  .description('Manage workspaces (projects) and their keys')
  .addCommand(
    withJson(withProject(new Command('create')))
      .description('Create a workspace and show its key once')
      .argument('<name>', 'workspace name')
      .action(async (name: string, options: Options) => {
        const created = await asDaemonOwner(options, (relay) => relay.request('WORKSPACE_CREATE', { name }));
        if (options.json) return printJson(created);
        print(`Created workspace ${created.name}.`);
        printKey(created);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List the workspaces of the daemon')
      .action(listWorkspaces),
  )
  .addCommand(
    withJson(withProject(new Command('rename')))
      .description('Rename a workspace')
      .argument('<workspace>', 'workspace name')
      .argument('<new-name>', 'new name')
      .action(async (workspace: string, name: string, options: Options) => {
        const { before, renamed } = await asDaemonOwner(options, async (relay) => ({
          before: await spelled(relay, workspace),
          renamed: await relay.workspaces.rename(workspace, name),
        }));
        const places = await recordRename(before, renamed);
        if (options.json) return printJson({ ...renamed, ...places });
        print(`Renamed ${before} to ${renamed.name}.`);
        tellWhoNames(before, renamed.name, places);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('remove')))
      .description('Delete a workspace with its agents, messages and files')
      .argument('<workspace>', 'workspace name')
      .option('--yes', 'confirm; this cannot be undone')
      .action(async (workspace: string, options: Options & { yes?: boolean }) => {
        if (!options.yes) throw wantsYes(workspace);
        await asDaemonOwner(options, (relay) => relay.workspaces.remove(workspace));
        if (options.json) return printJson({ removed: workspace });
        print(`Deleted ${workspace}.`);
      }),
  )
  .addCommand(
    withJson(withProject(new Command('grant')))
      .description('Let a remote agent write to another workspace')
      .argument('<agent>', 'agent of this project')
      .argument('<workspace>', 'workspace it may write to')
      .option('--undo', 'revoke the permission')
      .action(async (agent: string, workspace: string, options: Options & { undo?: boolean }) => {
        const allowed = options.undo !== true;
        await asOwner(options, (relay) => relay.agents.grant(agent, workspace, { allowed }));
        if (options.json) return printJson({ allowed });
        print(`${agent} can ${allowed ? 'now' : 'no longer'} write to ${workspace}.`);
      }),
  )
  .addCommand(keys);

/** The name as the daemon spells it, as it is recorded. */
async function spelled(relay: Relay, workspace: string): Promise<string> {
  const { workspaces } = await relay.request('WORKSPACE_LIST', {});
  return workspaces.find(({ name }) => nameKey(name) === nameKey(workspace))?.name ?? workspace;
}

/** A project name may be recorded in places that the relay cannot change. */
function tellWhoNames(
  before: string,
  name: string,
  { recorded, unrecorded }: Awaited<ReturnType<typeof recordRename>>,
): void {
  for (const root of recorded) print(`Recorded in ${root}.`);
  for (const root of unrecorded) print(`Cannot record the new name in ${root}/.relay/config.json.`);
  if (process.env.RELAY_PROJECT && nameKey(process.env.RELAY_PROJECT) === nameKey(before))
    print(`RELAY_PROJECT still says ${before}: set it to ${name}.`);
  if (recorded.length + unrecorded.length === 0)
    print('To record the new name, run in the directory of the project: agent-relay daemon start');
  print(`Connected clients stay connected. Anyone who uses ${before} gets an error with the new name.`);
}

const wantsYes = (workspace: string): RelayError =>
  new RelayError('InvalidRequest', `This deletes everything in ${workspace}.`, {
    next: `To confirm: agent-relay workspace remove ${workspace} --yes`,
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
  if (known.length === 0) return print('The workspace has no keys. Only agents on this machine can connect.');
  const header = ['ID', 'CREATED', 'STATE'].map((title) => styled('dim', title));
  const rows = known.map(({ id, createdAt, revokedAt }) => [
    id,
    when(createdAt),
    revokedAt === undefined ? styled('green', 'valid') : styled('dim', `revoked ${when(revokedAt)}`),
  ]);
  print(table([header, ...rows]));
}

function printKey({ key, keyId }: { key: string; keyId: string }): void {
  print(`Key ${keyId} (shown once):`);
  print(key);
  print('Set it as RELAY_WORKSPACE_KEY for remote agents; never pass it on a command line.');
}
