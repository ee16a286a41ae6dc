import { RelayError } from '@agent-relay/protocol';
import { commonDirectory } from '../../git/git.ts';

/** As much of a commit's id as people are shown. */
export const SHORT_ID = 7;

/** The git repository of the directory in which a command runs. */
export async function repositoryHere(): Promise<string> {
  const directory = process.env.RELAY_PROJECT_ROOT || process.cwd();
  const found = await commonDirectory(directory);
  if (found === undefined)
    throw new RelayError('InvalidRequest', `${directory} is not in a git repository.`, {
      next: 'Run the command in the repository of the project.',
    });
  return found;
}
