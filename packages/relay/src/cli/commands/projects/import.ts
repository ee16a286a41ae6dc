import { createHash } from 'node:crypto';
import { RelayError, type TransferRecord } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { plural, print, printJson } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';
import { lineOf, summary, total } from '../../transfer/lines.ts';
import { checkExport, recordsOf } from '../../transfer/read-export.ts';

/** The size of one request: well below the largest frame. */
const BATCH_RECORDS = 500;
const BATCH_LETTERS = 256 * 1024;

export const command = withJson(withProject(new Command('import')))
  .description('Import an export into a project; existing records stay')
  .argument('<file>', 'file written by agent-relay export')
  .action(async (file: string, options: ProjectOption & JsonOption) => {
    const end = await checkExport(file);
    const { outcome, missing } = await asOwner(options, async (relay) => ({
      outcome: await importFile(relay, file),
      missing: await countMissing(relay, file),
    }));
    const { added, present, elsewhere } = outcome;
    if (!options.json) {
      print(`Read ${file}: ${summary(end)}.`);
      print(`${plural(total(end), 'record')}: ${added} added, ${present} already there.`);
      if (elsewhere > 0) print(`${elsewhere} skipped: they are in another project of this daemon.`);
    }
    if (missing > 0) throw incomplete(missing, total(end), elsewhere);
    if (options.json) return printJson({ ...end, added, present, elsewhere, missing });
    print('Verified: the project has every record as exported.');
  });

const incomplete = (missing: number, all: number, elsewhere: number): RelayError =>
  new RelayError(
    'InvalidRequest',
    `${missing} of ${plural(all, 'record')} differ from the export, or are missing.`,
    {
      next:
        elsewhere > 0
          ? 'A daemon stores each record once. Import into another daemon, or remove the project that has them first.'
          : 'Existing records are not overwritten. For an exact copy, import into an empty project.',
    },
  );

async function importFile(relay: Relay, file: string) {
  const sum = { added: 0, present: 0, elsewhere: 0 };
  let batch: TransferRecord[] = [];
  let letters = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const { added, present, elsewhere } = await relay.workspaces.import(batch);
    sum.added += added;
    sum.present += present;
    sum.elsewhere += elsewhere;
    batch = [];
    letters = 0;
  };
  for await (const { text, record } of recordsOf(file)) {
    if (batch.length === BATCH_RECORDS || letters + text.length > BATCH_LETTERS) await flush();
    batch.push(record);
    letters += text.length;
  }
  await flush();
  return sum;
}

/** How many records of the file differ from the project or are missing, by hash. */
async function countMissing(relay: Relay, file: string): Promise<number> {
  const there = new Set<string>();
  for await (const records of relay.workspaces.export()) {
    for (const record of records) there.add(hashOf(lineOf(record)));
  }
  let missing = 0;
  for await (const { record } of recordsOf(file)) if (!there.has(hashOf(lineOf(record)))) missing++;
  return missing;
}

const hashOf = (line: string): string => createHash('sha256').update(line).digest('base64');
