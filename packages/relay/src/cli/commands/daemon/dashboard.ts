import { browserName, RelayError, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { plural, print, printAside, printJson, styled, table, when } from '../../output/terminal.ts';
import { openInBrowser } from '../../process/open-in-browser.ts';
import { asDaemonOwner, asOwner } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption;

const sessions = new Command('sessions')
  .description('List or sign out the browsers that are signed in')
  .addCommand(
    withJson(withProject(new Command('list')))
      .description('List the browsers that are signed in')
      .action(listSessions),
    { isDefault: true },
  )
  .addCommand(
    withJson(withProject(new Command('revoke')))
      .description('Sign out a browser and close its connections')
      .argument('[id]', 'session id, from: agent-relay dashboard sessions')
      .option('--all', 'sign out all browsers')
      .action(async (id: string | undefined, options: Options & { all?: boolean }) => {
        const which = whichSessions(id, options);
        const { revoked } = await asDaemonOwner(options, (relay) =>
          relay.request('PAGE_SESSION_REVOKE', which),
        );
        if (options.json) return printJson({ revoked });
        print(
          revoked.length === 0
            ? 'No browser is signed in.'
            : `Signed out ${plural(revoked.length, 'browser')}.`,
        );
      }),
  );

export const command = withJson(withProject(new Command('dashboard')))
  .description('Open the dashboard in your browser')
  .option('--no-open', 'print the one-time link instead of opening it')
  .enablePositionalOptions()
  .action(async (options: Options & { open: boolean }) => {
    const link = await asOwner(options, (relay) => relay.request('PAGE_LINK', {}));
    if (options.json) return printJson(link);
    if (!options.open) return print(link.url);
    if (await openInBrowser(link.url)) return print('Opened the dashboard in your browser.');
    printAside('Cannot open a browser here. Open this link yourself; it works once:');
    print(link.url);
  })
  .addCommand(sessions);

function whichSessions(id: string | undefined, { all }: { all?: boolean }): { id: string } | { all: true } {
  if (id !== undefined && !all) return { id };
  if (all && id === undefined) return { all };
  throw new RelayError('InvalidRequest', 'Name one session, or use --all.', {
    next: 'List them with: agent-relay dashboard sessions',
  });
}

async function listSessions(options: Options): Promise<void> {
  const { sessions: signedIn } = await asDaemonOwner(options, (relay) => relay.request('PAGE_SESSIONS', {}));
  if (options.json) return printJson(signedIn);
  if (signedIn.length === 0)
    return print('No browser is signed in. Open the dashboard with: agent-relay dashboard');
  const header = ['ID', 'PROJECT', 'SIGNED IN', 'LAST USED', 'BROWSER'].map((title) => styled('dim', title));
  const rows = signedIn.map(({ id, project, createdAt, usedAt, connected, browser }) => [
    id,
    project,
    when(createdAt),
    connected ? styled('green', 'now') : when(usedAt),
    safeLine(browserName(browser)),
  ]);
  print(table([header, ...rows]));
}
