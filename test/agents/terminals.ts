// Real command line agents in terminals, with messages for them: npm run test:terminals [-- --short] [--only claude]
import { parseArgs } from 'node:util';
import { Checks } from './checks.ts';
import { claude } from './clis/claude.ts';
import { codex } from './clis/codex.ts';
import { commandsOf } from './npm-cache.ts';
import { checkSpawn } from './spawn-checks.ts';
import { checkTerminal } from './terminal-checks.ts';

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const checks = new Checks();
for (const cli of [claude, codex].filter(({ id }) => values.only === undefined || id === values.only)) {
  try {
    await commandsOf(cli.package, cli.version);
  } catch (error) {
    checks.skip(`${cli.title} in a terminal`, (error as Error).message);
    continue;
  }
  await checkTerminal(checks, cli, values);
  if (!values.short && cli.terminal?.path === 'hook')
    await checkTerminal(checks, cli, { ...values, withoutHooks: true });
  if (!values.short && cli.terminal?.native) await checkTerminal(checks, cli, { ...values, native: true });
  await checkSpawn(checks, cli);
}
process.exitCode = checks.finish() ? 0 : 1;
