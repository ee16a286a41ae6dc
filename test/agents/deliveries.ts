// Many messages to a real CLI while the daemon or the host is killed: npm run test:deliveries [-- --short] [--only claude] [--count 100]
import { parseArgs } from 'node:util';
import { Checks } from './checks/checks.ts';
import { checkDaemonKills, checkHostKills } from './checks/delivery-checks.ts';
import { TERMINAL_CLIS } from './clis/index.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    count: { type: 'string', default: '1000' },
  },
});
const checks = new Checks();
const count = values.short ? 24 : Number(values.count);
/** A host and its CLI take seconds to come back. */
const countOfHosts = Math.max(12, Math.ceil(count / 4));
const clis = TERMINAL_CLIS.filter(({ id }) => (values.only ?? 'claude,codex').split(',').includes(id));
for (const cli of clis) {
  const { path, native, conversations } = cli.terminal ?? {};
  await checkDaemonKills(checks, cli, count);
  if (path !== 'pty') await checkDaemonKills(checks, cli, count, { withoutHooks: true });
  if (native) await checkDaemonKills(checks, cli, count, { native: true });
  if (conversations !== undefined) await checkHostKills(checks, cli, countOfHosts);
}
process.exitCode = checks.finish() ? 0 : 1;
