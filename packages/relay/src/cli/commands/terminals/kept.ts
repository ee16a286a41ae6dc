import { dateOf, RelayError, safeLine, shellWord } from '@agent-relay/protocol';
import { Command } from 'commander';
import { dropKept, expiryOf, type KeptCommit, listKept, restore } from '../../../git/kept-commits.ts';
import { type JsonOption, withJson } from '../../options.ts';
import { withHelpList } from '../../output/help-list.ts';
import { plural, print, printJson, styled, table, when } from '../../output/terminal.ts';
import { repositoryHere, SHORT_ID } from '../../target/repository.ts';

type RestoreOptions = JsonOption & { branch?: string };
type DropOptions = JsonOption & { all?: boolean };

const ID = 'id of a commit, from: agent-relay kept list';

export const command = withHelpList(
  new Command('kept')
    .description("See commits of released workers that no branch has, in this directory's repository")
    .addCommand(
      withHelpList(
        withJson(new Command('list')).description('List kept commits, the latest first').action(listCommits),
        'Examples',
        { 'agent-relay kept list': 'what was kept, and until when' },
      ),
    )
    .addCommand(
      withHelpList(
        withJson(new Command('restore'))
          .description('Make a branch of a kept commit')
          .argument('<commit>', ID)
          .option('--branch <name>', 'name of the branch (default: kept/AGENT-COMMIT)')
          .action(restoreCommit),
        'Examples',
        {
          'agent-relay kept restore 4be1f1c': 'as a branch such as kept/Parser-4be1f1c',
          'agent-relay kept restore 4be1f1c --branch table': 'as the branch table',
        },
      ),
    )
    .addCommand(
      withHelpList(
        withJson(new Command('drop'))
          .description('Drop kept commits; git deletes them later')
          .argument('[commit...]', ID)
          .option('--all', 'all kept commits of the repository')
          .action(dropCommits),
        'Examples',
        {
          'agent-relay kept drop 4be1f1c 90a2d11': 'these two',
          'agent-relay kept drop --all': 'everything that was kept',
        },
      ),
    ),
  'Examples',
  {
    'agent-relay kept list': 'what was kept, and until when',
    'agent-relay kept restore 4be1f1c': 'make a branch of it',
  },
);

async function listCommits({ json }: JsonOption): Promise<void> {
  const kept = await listKept(await repositoryHere());
  if (json) return printJson(kept.map((one) => ({ ...one, expiresAt: expiryOf(one) })));
  if (kept.length === 0) return print('No kept commits in this repository.');
  print(
    table(
      kept.map((one) => [
        styled('yellow', shortId(one)),
        styled('bold', one.agent),
        safeLine(one.subject),
        styled('dim', `kept ${when(one.keptAt)}, until ${day(expiryOf(one))} · ${one.run}`),
      ]),
    ),
  );
  print('Make a branch of one with: agent-relay kept restore COMMIT');
}

async function restoreCommit(id: string, { branch, json }: RestoreOptions): Promise<void> {
  const repository = await repositoryHere();
  const kept = named(await listKept(repository), id);
  const name = branch ?? `kept/${kept.agent}-${shortId(kept)}`;
  await restore(repository, kept, name);
  if (json) return printJson({ branch: name, commit: kept.commit });
  print(`${shortId(kept)} is the branch ${name} now.`);
  print(`See it with: git log ${shellWord(name)}`);
}

async function dropCommits(ids: string[], { all, json }: DropOptions): Promise<void> {
  if ((ids.length === 0) === (all === undefined))
    throw new RelayError('InvalidRequest', 'Name the commits to drop, or use --all.', {
      next: 'List them with: agent-relay kept list',
    });
  const repository = await repositoryHere();
  const kept = await listKept(repository);
  const commits = new Set(all ? kept.map(({ commit }) => commit) : ids.map((id) => named(kept, id).commit));
  await dropKept(
    repository,
    kept.filter(({ commit }) => commits.has(commit)),
  );
  if (json) return printJson({ dropped: commits.size });
  print(`Dropped ${plural(commits.size, 'commit')}.`);
}

const shortId = ({ commit }: KeptCommit): string => commit.slice(0, SHORT_ID);

const day = (time: number): string => dateOf(time).toISOString().slice(0, 10);

/** The kept commit whose id starts so. Two runs may have had the same one. */
function named(all: readonly KeptCommit[], id: string): KeptCommit {
  const found = all.filter(({ commit }) => id !== '' && commit.startsWith(id.toLowerCase()));
  const [first] = found;
  if (!first)
    throw new RelayError('CommitNotFound', `No kept commit of this repository starts with "${id}".`);
  if (found.every(({ commit }) => commit === first.commit)) return first;
  throw new RelayError('InvalidRequest', `Several kept commits start with "${id}".`, {
    next: 'Type more of its id; see: agent-relay kept list --json',
  });
}
