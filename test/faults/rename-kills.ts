import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { isRelayError, type Message } from '@agent-relay/protocol';
import { connect, type Relay } from '@agent-relay/sdk/node';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type Fault, seededRandom, within } from './fault.ts';

/** Ends what hangs; a restart on a busy machine takes seconds. */
const DEADLINE_MS = 60_000;
const KILL_WITHIN_MS = 20;
const PROJECTS = ['demo', 'shop', 'Shop', 'store', 'depot'];
const AGENTS = ['Bob', 'Robert', 'ROBERT', 'Bobby', 'Bert'];

/** What must be true, kept outside the daemon. */
interface Ledger {
  project: string;
  agent: string;
  /** The ids of all messages to the agent, none of which it marks as read. */
  mail: string[];
  renames: number;
}

/** `kill -9` in the middle of renames, which only the daemon finishes. */
export const renameKills: Fault = {
  name: 'rename-kills',
  what: 'kill -9 during renames: one name in use, all mail under it, nobody locked out, no empty project',
  async run({ short, seed, say }) {
    const kills = short ? 100 : 1000;
    const random = seededRandom(seed);
    const ledger: Ledger = { project: 'demo', agent: 'Bob', mail: [], renames: 0 };
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    await (await enter(daemon, ledger.project, ledger.agent)).close();
    // She stays connected throughout, and knows only the first names.
    await using sender = await connect({
      name: 'Carol',
      project: ledger.project,
      env: daemon.env,
      reconnect: { minDelayMs: 5, maxDelayMs: 20 },
    });
    for (let kill = 0; kill < kills; kill++) {
      const { messageId } = await within(DEADLINE_MS, 'a message', sender.send(ledger.agent, `${kill}`));
      ledger.mail.push(messageId);
      const isProject = random() < 0.5;
      const before = isProject ? ledger.project : ledger.agent;
      const others = (isProject ? PROJECTS : AGENTS).filter((name) => name !== before);
      const name = others[Math.floor(random() * others.length)] ?? before;
      const back = new Promise((resolve) => sender.once('connected', resolve));
      const isAnswered = await killDuring(daemon, ledger, random() ** 2 * KILL_WITHIN_MS, (owner) =>
        isProject ? owner.workspaces.rename(before, name) : owner.agents.rename(before, name),
      );
      const what = `after kill ${kill + 1}, during the rename of ${before} to ${name}`;
      await within(DEADLINE_MS, `a restart ${what}`, daemon.start());
      await within(DEADLINE_MS, `the sender back ${what}`, back);
      const happened = isProject ? daemon.project === name : await isKnown(daemon, name);
      assert(happened || !isAnswered, `the answered rename of ${before} to ${name} is lost`);
      if (happened) ledger.renames += 1;
      if (happened) ledger[isProject ? 'project' : 'agent'] = name;
      await within(DEADLINE_MS, 'the checks', check(daemon, ledger, sender));
      if (happened && isProject) await assertLed(daemon, before, name);
    }
    await assertMail(daemon, ledger);
    await sender.close();
    await daemon.stop();
    assertAudited(daemon, ledger);
    say(`${kills} kills, ${ledger.renames} renames happened, ${ledger.mail.length} messages in sight`);
  },
};

const enter = (daemon: TestDaemon, project: string, name?: string): Promise<Relay> =>
  connect({ project, env: daemon.env, reconnect: false, paths: [], ...(name ? { name } : {}) });

/** Whether the rename was answered before the daemon was killed. */
async function killDuring(
  daemon: TestDaemon,
  { project }: Ledger,
  delayMs: number,
  rename: (owner: Relay) => Promise<unknown>,
): Promise<boolean> {
  await using owner = await enter(daemon, project);
  const answered = rename(owner).then(
    () => true,
    () => false,
  );
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  await daemon.kill9();
  return await answered;
}

async function isKnown(daemon: TestDaemon, name: string): Promise<boolean> {
  await using owner = await enter(daemon, daemon.project);
  return (await owner.who({ includeOffline: true })).some((agent) => agent.name === name);
}

async function check(daemon: TestDaemon, ledger: Ledger, sender: Relay): Promise<void> {
  assert.equal(daemon.project, ledger.project);
  assert.equal(sender.project, ledger.project);
  await using owner = await enter(daemon, ledger.project);
  const { workspaces } = await owner.request('WORKSPACE_LIST', {});
  assert.deepEqual(
    workspaces.map(({ name }) => name),
    [ledger.project],
  );
  const agents = await owner.who({ includeOffline: true });
  assert.deepEqual(agents.map(({ name }) => name).sort(), [ledger.agent, 'Carol'].sort());
  await using agent = await enter(daemon, ledger.project, ledger.agent);
  assert.equal(agent.welcome.unread, ledger.mail.length);
}

/** The former name of the project leads to the new one, or to an error with it. */
async function assertLed(daemon: TestDaemon, before: string, name: string): Promise<void> {
  await assert.rejects(
    enter(daemon, before),
    (error) => isRelayError(error, 'ProjectNotFound') && error.message.includes(`"${name}"`),
    `${before} does not lead to ${name}`,
  );
}

/** Reads every message, one page after the other. */
async function assertMail(daemon: TestDaemon, ledger: Ledger): Promise<void> {
  await using agent = await enter(daemon, ledger.project, ledger.agent);
  const found: Message[] = [];
  for (;;) {
    const after = found.at(-1)?.seq ?? 0;
    const { messages } = await agent.request('INBOX', { limit: 500, after });
    if (messages.length === 0) break;
    found.push(...messages);
  }
  assert.deepEqual(
    found.map(({ id }) => id),
    ledger.mail,
  );
}

/** Reads the database directly. */
function assertAudited(daemon: TestDaemon, ledger: Ledger): void {
  const database = new DatabaseSync(`${daemon.dataDirectory}/relay.db`, { readOnly: true });
  try {
    const sql =
      "SELECT count(*) AS renames FROM audit WHERE action IN ('agent.renamed', 'workspace.renamed')";
    assert.deepEqual({ ...database.prepare(sql).get() }, { renames: ledger.renames });
  } finally {
    database.close();
  }
}
