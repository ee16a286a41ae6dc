import { open, rm } from 'node:fs/promises';
import { Command } from 'commander';
import { cannotWrite } from '../../files/file-failure.ts';
import { type ProjectOption, withProject } from '../../options.ts';
import { print } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';
import { type End, lineOf, RecordCount, summary } from '../../transfer/lines.ts';

type Write = (text: string) => Promise<unknown>;

export const command = withProject(new Command('export'))
  .description('Export a project as JSON Lines to a file or to stdout')
  .argument('[file]', 'file to write, which must not exist yet; stdout if left out, or for "-"')
  .action(async (file: string | undefined, options: ProjectOption) => {
    if (file === undefined || file === '-') return void (await exportTo(options, writeToOutput));
    const end = await exportToFile(options, file);
    print(`Exported to ${file}: ${summary(end)}.`);
    print(`sha256 ${end.sha256}`);
  });

async function exportTo(options: ProjectOption, write: Write): Promise<End> {
  return await asOwner(options, async (relay) => {
    const count = new RecordCount();
    await write(lineOf({ type: 'export', version: 1, project: relay.project, exportedAt: Date.now() }));
    for await (const records of relay.workspaces.export()) {
      let text = '';
      for (const record of records) {
        const line = lineOf(record);
        count.add(record.type, line);
        text += line;
      }
      if (text !== '') await write(text);
    }
    await write(lineOf(count.end));
    return count.end;
  });
}

/** Private to its owner; a partial file is removed. */
async function exportToFile(options: ProjectOption, file: string): Promise<End> {
  await using handle = await open(file, 'wx', 0o600).catch((cause: Error) => {
    throw cannotWrite(file, cause, 'Choose another file.');
  });
  try {
    const toFile = (cause: Error) => {
      throw cannotWrite(file, cause, 'Free some space, or choose a file on another disk.');
    };
    // `write` may write only part of the text; `appendFile` writes all of it.
    const end = await exportTo(options, (text) => handle.appendFile(text).catch(toFile));
    await handle.sync().catch(toFile);
    return end;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** Errors there end the command (see `main.ts`). */
const writeToOutput: Write = (text) => new Promise((written) => process.stdout.write(text, written));
