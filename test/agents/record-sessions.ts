// Records what the real CLIs draw when their models use text patterns: node test/agents/record-sessions.ts [claude|codex|gemini|opencode]
import { mkdir, mkdtempDisposable, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { adapterOf } from '../../packages/harness-driver/src/clis/clis.ts';
import { readView } from '../../packages/harness-driver/src/screen/read-view.ts';
import { sessionFile } from '../kit/session-files.ts';
import type { TestTerminal } from '../kit/terminal.ts';
import { startBare } from './bare-cli.ts';
import { TERMINAL_CLIS } from './clis/index.ts';
import { SESSION_TURNS } from './session-turns.ts';

const only = process.argv[2];
const SIZES = {
  usual: { columns: 100, rows: 30 },
  narrow: { columns: 60, rows: 40 },
  wide: { columns: 160, rows: 50 },
};
/** Slow enough that a busy machine draws all of an answer. */
const PACE_MS = 50;
await using temporary = await mkdtempDisposable(join(tmpdir(), 'relay-sessions-'));
const directory = await realpath(temporary.path);
const target = join(import.meta.dirname, 'sessions');
await mkdir(target, { recursive: true });

for (const cli of TERMINAL_CLIS.filter(({ id }) => only === undefined || id === only)) {
  for (const [name, size] of Object.entries(SIZES)) {
    await using bare = await startBare(cli, directory, { asks: false, paceMs: PACE_MS, ...size });
    for (const { prompt, resize } of SESSION_TURNS(cli)) {
      if (resize) bare.terminal.resize(size.columns + resize, size.rows);
      await bare.quiet();
      await bare.press(`\x1b[200~${prompt}\x1b[201~`);
      await bare.submit();
      await idle(cli.id, bare.terminal);
    }
    const file = join(target, `${cli.id}-${name}.jsonl.gz`);
    const recording = sessionFile(bare.terminal.recording).replaceAll(directory, '/tmp/session');
    await writeFile(file, gzipSync(recording, { level: 9 }));
    console.log(`${cli.title} ${cli.version}: ${name}`);
  }
}

/** Resolves when the turn is over: a CLI may take long to begin it. */
async function idle(cli: string, { emulator }: TestTerminal): Promise<void> {
  for (let steady = 0; steady < 10; ) {
    const reading = adapterOf(cli).screen?.read(readView(emulator, true));
    steady = reading?.state === 'composer' && !reading.busy ? steady + 1 : 0;
    await setTimeout(200);
  }
}
