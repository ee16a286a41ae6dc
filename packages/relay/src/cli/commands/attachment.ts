import { open } from 'node:fs/promises';
import { RelayError } from '@agent-relay/protocol';
import { Command } from 'commander';
import { cannotWrite } from '../files/file-failure.ts';
import { type AgentOption, type ProjectOption, withProject, withViewer } from '../options.ts';
import { fileLine } from '../output/message-lines.ts';
import { print } from '../output/terminal.ts';
import { asViewer } from '../target/connect.ts';

type Options = ProjectOption & AgentOption & { output?: string };

export const command = new Command('attachment').description('Files that hang on messages.').addCommand(
  withViewer(withProject(new Command('get')))
    .description('Fetch a file, to standard output or into a new file.')
    .argument('<id>', 'the id of the file, as it stands below the message')
    .option('-o, --output <file>', 'where to put it; a file that exists is left alone')
    .action(async (id: string, options: Options) => {
      if (options.output === undefined && process.stdout.isTTY) {
        throw new RelayError(
          'InvalidRequest',
          'A file of somebody else could do anything to this terminal.',
          {
            next: 'Name a file for it with --output, or send it on into a pipe.',
          },
        );
      }
      const { attachment, content } = await asViewer(options, (relay) => relay.fetchAttachment(id));
      if (options.output === undefined) {
        process.stdout.write(content);
        return;
      }
      await writeNewFile(options.output, content);
      print(`${fileLine(attachment)} is in ${options.output}.`);
    }),
);

async function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(content);
  } catch (cause) {
    throw cannotWrite(path, cause, 'Name another file with --output.');
  }
}
