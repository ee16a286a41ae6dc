import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { VERSION } from '../../version.ts';

/** How often a hook that waits looks whether its CLI is still there: nothing else tells. */
const PARENT_MS = 5000;

/** What `agent-relay mcp install --hooks` enters in the hooks of an agent CLI. */
export const command = new Command('hook')
  .description('Pass messages on to an agent CLI (started by its hooks)')
  .argument('<cli>', 'claude, codex or gemini')
  .action(async (cli: string) => {
    const parent = Number(process.env.RELAY_HOOK_PARENT) || process.ppid;
    const gone = new AbortController();
    const look = () => {
      if (process.ppid !== parent) gone.abort();
    };
    look();
    const timer = setInterval(look, PARENT_MS);
    process.once('SIGTERM', () => gone.abort());
    const { runInstalledHook } = await import('@agent-relay/harness-driver');
    const { output, error, code } = await runInstalledHook({
      cli,
      input: await text(process.stdin),
      env: process.env,
      client: { name: 'agent-relay', version: VERSION },
      signal: gone.signal,
    });
    clearInterval(timer);
    if (output !== undefined) writeSync(process.stdout.fd, output);
    if (error !== undefined) writeSync(process.stderr.fd, error);
    process.exit(code);
  });
