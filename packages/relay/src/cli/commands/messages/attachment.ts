import { open } from 'node:fs/promises';
import { RelayError } from '@agent-relay/protocol';
import { Command } from 'commander';
import { cannotWrite } from '../../files/file-failure.ts';
import { type AgentOption, type ProjectOption, withProject, withViewer } from '../../options.ts';
import { fileLine } from '../../output/message-lines.ts';
import { print } from '../../output/terminal.ts';
import { asViewer } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & { output?: string };

export const command = new Command('attachment').description('Get files attached to messages').addCommand(
  withViewer(withProject(new Command('get')))
    .description('Download an attachment to a file or to stdout')
    .argument('<id>', 'attachment id, as shown below the message')
    .option('-o, --output <file>', 'write to this file, which must not exist yet')
    .action(async (id: string, options: Options) => {
      if (options.output === undefined && process.stdout.isTTY) {
        throw new RelayError(
          'InvalidRequest',
          'Not writing an attachment to a terminal, which would execute control sequences in it.',
          {
            next: 'Use --output FILE, or redirect it.',
          },
        );
      }
      const { attachment, content } = await asViewer(options, (relay) => relay.fetchAttachment(id));
      if (options.output === undefined) {
        process.stdout.write(content);
        return;
      }
      await writeNewFile(options.output, content);
      print(`Saved ${fileLine(attachment)} to ${options.output}.`);
    }),
);

async function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(content);
  } catch (cause) {
    throw cannotWrite(path, cause, 'Choose another file with --output.');
  }
}
