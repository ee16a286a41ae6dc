import { writeSync } from 'node:fs';
import { Command } from 'commander';
import { VERSION } from '../../../version.ts';

const client = { name: 'agent-relay', version: VERSION };

/** How often a waiting hook checks that its CLI is still running; nothing reports its end. */
const PARENT_MS = 5000;

/** The command that `agent-relay mcp install --hooks` adds to the hooks of an agent CLI. */
export const command = new Command('hook')
  .description('Pass messages on to an agent CLI (started by its hooks)')
  .argument('<cli>', 'claude, codex, gemini or opencode')
  .action(async (cli: string) => {
    // The default name of the client's MCP server.
    const env = { ...process.env, RELAY_AGENT_NAME: process.env.RELAY_AGENT_NAME || cli };
    if (cli === 'opencode') return await serveOpenCode(env);
    const parent = Number(process.env.RELAY_HOOK_PARENT) || process.ppid;
    const gone = new AbortController();
    const look = () => {
      if (process.ppid !== parent) gone.abort();
    };
    look();
    const timer = setInterval(look, PARENT_MS);
    process.once('SIGTERM', () => gone.abort());
    // It starts with each tool call, so it loads nothing of terminals.
    const { runInstalledHook } = await import('@agent-relay/harness-driver/installed-hook');
    const { output, error, code } = await runInstalledHook({
      cli,
      input: process.stdin.setEncoding('utf8'),
      parent,
      env,
      client,
      signal: gone.signal,
    });
    clearInterval(timer);
    if (output !== undefined) writeSync(process.stdout.fd, output);
    if (error !== undefined) writeSync(process.stderr.fd, error);
    process.exit(code);
  });

/** OpenCode's plugin talks to this process until it ends. */
async function serveOpenCode(env: NodeJS.ProcessEnv): Promise<never> {
  const { runInstalledPlugin } = await import('@agent-relay/harness-driver');
  await runInstalledPlugin({ env, client, input: process.stdin, output: process.stdout });
  process.exit(0);
}
