import { strict as assert } from 'node:assert';
import type { TestDaemon } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { processesIn } from '../processes.ts';
import type { Failure } from '../scripted-model.ts';
import type { Sender, SentMessage } from '../sender.ts';
import type { WrappedAgent } from '../wrapped-agent.ts';
import type { Checks } from './checks.ts';

/** A message that was sent, and how to see that the model got it once. */
type Arrived = (agent: WrappedAgent, sent: SentMessage) => Promise<string>;

const apiError = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const FAILURES: Array<[reason: 'signed_out' | 'context_full', shown: RegExp, failure: Failure]> = [
  [
    'signed_out',
    /Invalid API key/,
    { status: 401, body: apiError('authentication_error', 'invalid x-api-key') },
  ],
  [
    'context_full',
    /Context limit reached/,
    {
      status: 400,
      body: apiError('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    },
  ],
];

/** What an agent does whose messages come by its own hooks. */
export async function checkHooks(
  checks: Checks,
  agent: WrappedAgent,
  { daemon, sender, arrived }: { daemon: TestDaemon; sender: Sender; arrived: Arrived },
): Promise<void> {
  const named = (what: string) => `${agent.cli.title} with its hooks ${what}`;
  const { name } = agent;
  const shell = (command: string) => agent.cli.terminal?.shell(command, false) ?? '';

  await checks.run(named('gets an urgent message with the next tool result'), async () => {
    await sender.untilPath(name, 'ready');
    const answer = agent.model.think();
    await agent.prompt(`${shell('echo first')}\n${shell('sleep 1')}`);
    await sender.untilPath(name, 'busy');
    const before = await sender.send(name, 'Is ticket 21 done?');
    const urgent = await sender.send(name, 'Stop ticket 21.', { urgent: true });
    answer();
    await arrived(agent, urgent);
    await arrived(agent, before);
    const last = agent.model.requests.findLast(({ tools }) => tools.length > 0);
    const texts = last?.turns.map(({ kind, text }) => `${kind}: ${text}`) ?? [];
    const at = (part: string) => texts.findIndex((text) => text.includes(part));
    assert.ok(at('first') < at(before.id) && at(before.id) < at(urgent.id), texts.join('\n'));
    await sender.untilPath(name, 'ready');
  });

  await checks.run(named('gets messages as a person chooses while it works'), async () => {
    await sender.untilPath(name, 'ready');
    const answer = agent.model.think();
    await agent.prompt(`${shell('echo second')}\n${shell('echo third')}`);
    await sender.untilPath(name, 'busy');
    await daemon.cli(['attention', 'end-of-turn', name]);
    const urgent = await sender.send(name, 'Stop ticket 26.', { urgent: true });
    await sender.untilReason(urgent.id, 'attention');
    await daemon.cli(['attention', 'next-tool-call', name]);
    await sender.untilAccepted(urgent.id);
    answer();
    await arrived(agent, urgent);
    await agent.hears(urgent.id);
    await sender.untilPath(name, 'ready');
    const texts = agent.model.requests.findLast(({ tools }) => tools.length > 0)?.turns ?? [];
    const at = (part: string) => texts.findLastIndex(({ text }) => text.includes(part));
    // In the middle of the turn: the model has said nothing since the result of a command.
    assert.equal(texts[at(urgent.id) - 1]?.kind, 'result');
    await daemon.cli(['attention', 'default', name]);
  });

  await checks.run(named('gets a message by its terminal after its hook was killed'), async () => {
    await sender.untilPath(name, 'ready', 'hook');
    for (const pid of await hooksOf(agent)) process.kill(pid, 'SIGKILL');
    await sender.untilPath(name, 'no_hook', 'hook');
    await sender.untilPath(name, 'ready', 'pty');
    const sent = await sender.send(name, 'Is ticket 22 done?');
    await arrived(agent, sent);
    assert.equal(await sender.pathOf(sent.id), 'pty');
    // With the turn that began, hooks are back.
    await sender.untilPath(name, 'ready', 'hook');
    const next = await sender.send(name, 'Is ticket 23 done?');
    await arrived(agent, next);
    assert.equal(await sender.pathOf(next.id), 'hook');
  });

  await checks.run(named('has one process waiting, and none after many messages'), async () => {
    for (let number = 1; number <= 5; number++) {
      await sender.untilPath(name, 'ready', 'hook');
      await arrived(agent, await sender.send(name, `Number ${number} for one process.`));
    }
    await sender.untilPath(name, 'ready', 'hook');
    // The one before it was told to end a moment ago.
    await eventually(async () => (await hooksOf(agent)).length === 1);
  });

  for (const [reason, shown, failure] of FAILURES) {
    await checks.run(named(`holds messages while it is ${reason}, and gets them after`), async () => {
      await sender.untilPath(name, 'ready');
      const succeed = agent.model.fail(failure);
      await agent.prompt('Think about ticket 24.');
      await agent.terminal.until(shown);
      await sender.untilPath(name, reason);
      const sent = await sender.send(name, 'Is ticket 25 done?');
      assert.equal(await sender.reasonOf(sent.id), reason);
      succeed();
      await agent.prompt('Once more.');
      await arrived(agent, sent);
    });
  }

  await checks.run(named('gets no message right after it was interrupted'), async () => {
    await sender.untilPath(name, 'ready');
    agent.model.think();
    await agent.prompt('Think about ticket 28.');
    await sender.untilPath(name, 'busy');
    const sent = await sender.send(name, 'Is ticket 29 done?');
    const answer = agent.model.think();
    await agent.escape(/esc to interrupt/);
    await sender.untilPath(name, 'interrupted');
    assert.equal(await sender.reasonOf(sent.id), 'interrupted');
    answer();
    await arrived(agent, sent);
  });
}

/** The processes of hooks that wait now, of this agent. */
const hooksOf = (agent: WrappedAgent): Promise<number[]> =>
  processesIn(
    agent.project,
    (words) => words.some((word) => word.endsWith('/bin/hook.js')) && words.includes('wait'),
  );
