// Real command line agents in terminals, with messages for them: npm run test:terminals [-- --short] [--table] [--only claude]
import { parseArgs } from 'node:util';
import { Checks } from './checks/checks.ts';
import { checkDaemonKills } from './checks/delivery-checks.ts';
import { checkInstalledHooks } from './checks/installed-hook-checks.ts';
import { checkPatterns } from './checks/pattern-checks.ts';
import { checkPrompts } from './checks/prompt-checks.ts';
import { checkSpawn } from './checks/spawn-checks.ts';
import { checkTerminal } from './checks/terminal-checks.ts';
import { TERMINAL_CLIS } from './clis/index.ts';
import { commandsOf } from './npm-cache.ts';
import { writeResults } from './terminal-table.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    /** Only what the table shows. */
    table: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(`npm run test:terminals -- [options]
  --short      two CLIs, a few minutes, and no table
  --table      only what the table in docs/delivery.md shows
  --only NAME  one CLI: ${TERMINAL_CLIS.map(({ id }) => id).join(', ')}`);
  process.exit(0);
}
const checks = new Checks();
const INSTALLED_HOOKS = ['claude', 'codex', 'gemini', 'opencode'];
/** CI's short form tries two of them. */
const clis = values.short ? TERMINAL_CLIS.slice(0, 2) : TERMINAL_CLIS;
for (const cli of clis.filter(({ id }) => values.only === undefined || id === values.only)) {
  try {
    await commandsOf(cli.package, cli.version);
  } catch (error) {
    checks.skip(`${cli.title} in a terminal`, (error as Error).message);
    continue;
  }
  const results = await checkTerminal(checks, cli, values);
  Object.assign(results, await checkSpawn(checks, cli));
  // The documentation shows complete runs only.
  if (!values.short) await writeResults(cli, results);
  if (values.table) continue;
  if (cli.terminal?.answersPrompts) await checkPrompts(checks, cli);
  await checkPatterns(checks, cli);
  if (values.short) {
    // Of 1,000 in npm run test:deliveries.
    await checkDaemonKills(checks, cli, 20);
    continue;
  }
  if (cli.terminal?.path !== 'pty') await checkTerminal(checks, cli, { ...values, withoutHooks: true });
  if (cli.terminal?.native) await checkTerminal(checks, cli, { ...values, native: true });
  if (INSTALLED_HOOKS.includes(cli.id)) await checkInstalledHooks(checks, cli);
}
process.exitCode = checks.finish() ? 0 : 1;
