// Real command line agents against the real relay: npm run test:agents [-- --short]
import { strict as assert } from 'node:assert';
import { mkdtempDisposable, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runInstall, runUninstall } from '../../packages/mcp/src/install/index.ts';
import { realServer } from '../gateway/kit/real-servers.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { type Agent, startAgent } from './agent.ts';
import { checkActions } from './checks/action-checks.ts';
import { Checks } from './checks/checks.ts';
import { checkHttp } from './checks/http-checks.ts';
import { checkNotifications } from './checks/notification-checks.ts';
import { claude } from './clis/claude.ts';
import { codex } from './clis/codex.ts';
import { droid } from './clis/droid.ts';
import { gemini } from './clis/gemini.ts';
import { opencode } from './clis/opencode.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const clis = values.short ? [claude, codex] : [claude, codex, gemini, opencode, droid];

const checks = new Checks();
/** Every message is about another ticket, because the loop governor mutes agents without new content. */
let ticket = 1000;
await using temporary = await mkdtempDisposable(join(tmpdir(), 'relay-agents-'));
const servers = join(temporary.path, 'mcp-servers.json');
const everything = { command: process.execPath, args: [realServer('everything'), 'stdio'] };
await writeFile(servers, JSON.stringify({ mcpServers: { everything } }));
await using daemon = await startDaemon({ env: { RELAY_MCP_SERVERS_CONFIG: servers } });
const project = await realpath(daemon.projectDirectory);
await using agents = new AsyncDisposableStack();
const ready: Agent[] = [];
for (const cli of clis) {
  try {
    ready.push(agents.use(await startAgent(cli, join(daemon.directory, 'homes'), project)));
  } catch (error) {
    checks.skip(cli.title, (error as Error).message);
  }
}

for (const agent of ready) await checkInstallation(agent, daemon);
const talking = ready.filter(({ cli }) => cli.ask);
for (const [index, agent] of talking.entries()) {
  const peer = talking[(index + 1) % talking.length];
  // Two agents are one pair, not two.
  if (peer && agent !== peer && (talking.length > 2 || index === 0)) await checkExchange(agent, peer);
}
if (talking.length < 2)
  checks.skip('messages between two agents', 'fewer than two agents could be installed');
for (const agent of talking) await checkShown(agent);
for (const agent of values.short ? talking.slice(0, 1) : talking) await checkPool(agent);
for (const agent of talking) await checkActions(checks, agent, daemon, project);
for (const agent of talking) await checkNotifications(checks, agent, daemon, project);
const askable = clis.filter(({ ask }) => ask);
await checkHttp(checks, values.short ? askable.slice(0, 1) : askable);
process.exitCode = checks.finish() ? 0 : 1;

async function checkInstallation(agent: Agent, { env }: TestDaemon): Promise<void> {
  const { id, title, list, ask } = agent.cli;
  const options = { editor: id, cwd: project, env: { ...env, HOME: agent.home }, print: () => undefined };
  // A tool result proves more than a list, which in Codex names servers without starting them.
  const speaksAs = async (name: string, variables = {}) => {
    if (!ask) return;
    const { results } = await agent.ask(['use relay_status {}'], variables);
    assert.match(results[0] ?? '', new RegExp(`${name}\\b`, 'i'));
  };
  await checks.run(`${title} connects to the server after install -g`, async () => {
    await runInstall({ ...options, global: true });
    assert.match(await agent.listServers(), list.connected);
    await speaksAs(`${title}-once`, { RELAY_AGENT_NAME: `${title}-once` });
    // Without a name it is named after the client.
    await speaksAs(`("agentName":"|Agent Name: )${id}`);
  });
  await checks.run(`${title} has no such server after uninstall -g`, async () => {
    await runUninstall({ ...options, global: true });
    assert.doesNotMatch(await agent.listServers(), /agent-relay/);
  });
  await checks.run(`${title} connects to the server after install in the project`, async () => {
    await runInstall({ ...options, name: title });
    assert.match(await agent.listServers(), list.connected);
    await speaksAs(title);
  });
}

/** Each model has to see what the other one wrote: some clients show the text of a result, some the data. */
async function checkExchange(one: Agent, other: Agent): Promise<void> {
  const [first, second] = [one.cli.title, other.cli.title];
  await checks.run(`${first} and ${second} exchange messages`, async () => {
    // A name is registered at its first connection.
    await other.ask(['use relay_who {}']);
    const question = `How are the tests of ticket ${++ticket}?`;
    await one.ask([send(second, question)]);
    const answer = `They are green, and so are those of ticket ${++ticket}.`;
    const heard = await other.ask(['use relay_inbox {}', send(first, answer)]);
    assert.ok(heard.results[0]?.includes(question), heard.results[0]);
    const reply = await one.ask(['use relay_inbox {}']);
    assert.ok(reply.results[0]?.includes(answer), reply.results[0]);
  });
  await checks.run(`${second} is told of unread messages by the result of another tool`, async () => {
    await one.ask([send(second, `Read ticket ${++ticket} when you can.`)]);
    const { results } = await other.ask(['use relay_who {}', 'use relay_inbox {}']);
    assert.match(results[0] ?? '', /unread/);
  });
  await checks.run(`${first} waits for the answer of ${second}`, async () => {
    await using watching = daemon.startCli(['tail', '--since-seq', '0']);
    const merge = `merge ticket ${++ticket}`;
    const answer = `Only after ticket ${++ticket}.`;
    const waiting = one.ask([
      send(second, `Shall we ${merge}?`, { await_response: true, timeout_ms: 90_000 }),
    ]);
    await Promise.race([watching.until(new RegExp(merge)), waiting]);
    await other.ask(['use relay_inbox {}', send(first, answer)]);
    const { results } = await waiting;
    assert.ok(results[0]?.includes(answer), results[0]);
    assert.match(results[0] ?? '', new RegExp(`\\b${second}\\b`, 'i'));
  });
}

/** What a model needs has to be in the part of a result that its client shows. */
async function checkShown({ cli: { title }, ask }: Agent): Promise<void> {
  await checks.run(`${title} shows its model who wrote a message, and how to answer`, async () => {
    const text = `Please look at ticket ${++ticket}.`;
    // From this machine's user, who is a person.
    const { code, stderr } = await daemon.cli(['send', title, text]);
    assert.equal(code, 0, stderr);
    const { results } = await ask(['use relay_inbox {}']);
    assert.ok(results[0]?.includes(text), results[0]);
    assert.match(results[0] ?? '', /human/);
    assert.match(results[0] ?? '', /relay_send\(to=/);
  });
  await checks.run(`${title} shows its model that a recipient is offline`, async () => {
    await daemon.cli(['inbox', '--as', 'Sleeper']);
    const { results } = await ask([send('Sleeper', `Wake up for ticket ${++ticket}.`)]);
    assert.match(results[0] ?? '', /Offline: Sleeper/);
  });
  await checks.run(
    `${title} shows its model the code of an error, and a tool for the next step`,
    async () => {
      const { results } = await ask([send('Zed', `Where is ticket ${++ticket}?`)]);
      assert.match(results[0] ?? '', /AgentNotFound/);
      assert.match(results[0] ?? '', /relay_who/);
      assert.doesNotMatch(results[0] ?? '', /agent-relay who/);
    },
  );
  await checks.run(`${title} shows its model that nobody answered, and not to ask again`, async () => {
    const question = `Is ticket ${++ticket} done?`;
    const { results } = await ask([send('Sleeper', question, { await_response: true, timeout_ms: 200 })]);
    assert.match(results[0] ?? '', /Sleeper has not read it yet/);
    assert.match(results[0] ?? '', /Do not send it again/);
  });
  await checks.run(`${title} tells its model who it is`, async () => {
    const { context } = await ask(['use relay_who {}']);
    assert.ok(new RegExp(`You are ${title}\\. Other agents`, 'i').test(context), 'not in what it is shown');
  });
}

function send(to: string, message: string, more = {}): string {
  return `use relay_send ${JSON.stringify({ to, message, ...more })}`;
}

/** A tool of a server in the daemon, and one of the relay, from the one installed entry. */
async function checkPool({ cli: { id, title }, home, ask }: Agent): Promise<void> {
  await checks.run(`${title} uses the MCP servers of the daemon beside the relay`, async () => {
    const args = ['mcp', 'install', '-e', id, '--tools', 'relay,gateway', '--name', title];
    const { code, stderr } = await daemon.cli(args, { env: { HOME: home } });
    assert.equal(code, 0, stderr);
    const { results } = await ask(['use echo {"message":"from the pool"}', 'use relay_status {}']);
    assert.match(results[0] ?? '', /Echo: from the pool/);
    assert.match(results[1] ?? '', new RegExp(`\\b${title}\\b`, 'i'));
  });
}
