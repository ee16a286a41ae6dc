import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { connect } from '../../../packages/sdk/src/node/index.ts';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import { startDaemonWithServers } from '../../kit/daemon-with-servers.ts';
import { SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import type { AgentCli } from '../clis/agent-cli.ts';
import { startWrapped, type WrappedAgent } from '../wrapped-agent.ts';
import type { Checks } from './checks.ts';

const DEADLINE_MS = 90_000;
/** A command that is carried out twice is so within this time. */
const AGAIN_MS = 3000;

/** Commands in the text of a real CLI: its model says them, others get them once, and it hears what comes of them. */
export async function checkPatterns(checks: Checks, cli: AgentCli): Promise<void> {
  await using daemon = await startDaemonWithServers([scripted('files', { tools: [tool('echo')] })], {
    settings: { clis: SCRIPTED_CLI },
  });
  await using bob = await connect({
    env: daemon.env,
    cwd: daemon.projectDirectory,
    name: 'Bob',
    capabilities: ['code_review'],
  });
  const received: string[] = [];
  bob.on('message', ({ from, content }) => received.push(`${from}: ${content}`));
  const called: unknown[] = [];
  await bob.exposeTool({
    name: 'look',
    description: 'Looks at a file',
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    handler: ({ input }) => {
      called.push(input);
      return { verdict: 'fine' };
    },
  });
  await using agent = await startWrapped(cli, daemon, { name: 'Speaker' });
  // Codex takes a prompt that comes in the last moment of a turn for a part of it, and asks its model no more.
  const isIdle = async () => {
    const speaker = (await bob.who()).find(({ name }) => name === 'Speaker');
    return speaker?.paths.some(({ inUse, state }) => inUse && state === 'ready') === true;
  };
  const says = async (text: string) => {
    await until(isIdle);
    await agent.prompt(`say ${JSON.stringify(text)}`);
  };
  // What is there at the first look was said before, as far as anybody can tell: no model is as fast as this one.
  await says('Hello.');

  await checks.run(
    `${cli.title} in a terminal: what its model says to another agent is sent, once`,
    async () => {
      await says('I will tell Bob.\n\n->relay:Bob The login test ✅ passes 🎉 again.\n\nThat is all.');
      await until(() => received.length > 0);
      await setTimeout(AGAIN_MS);
      assert.deepEqual(received, ['Speaker: The login test ✅ passes 🎉 again.']);
    },
  );
  await checks.run(`${cli.title} in a terminal: its model hears what it asked for in its text`, async () => {
    await says('->relay:discover capability:code_review\n->mcp:Bob.look src/login.ts');
    await agent.hears('Agents with capability "code_review":');
    await agent.hears('MCP result from Bob.look:');
    assert.deepEqual(called, [{ path: 'src/login.ts' }]);
  });
  await checks.run(
    `${cli.title} in a terminal: its text calls tools of an MCP server, in every form`,
    async () => {
      await says('->mcp:files.echo {"text": "as JSON"}\n->mcp:files echo in words\n->mcp:files.echo');
      await agent.hears('as JSON');
      await agent.hears('in words');
      await until(() => results(agent, 'MCP result from files.echo:') === 3);
    },
  );
  await checks.run(`${cli.title} in a terminal: its text starts and releases a worker`, async () => {
    await says('->relay:spawn Helper scripted Sort the files');
    await agent.hears('Worker "Helper" spawned successfully. It will message you when ready.');
    await agent.hears('Worker "Helper" is ready.');
    const helper = (await bob.who()).find(({ name }) => name === 'Helper');
    assert.deepEqual([helper?.parent, helper?.task], ['Speaker', 'Sort the files']);
    await says('->relay:release Helper');
    await agent.hears('Worker "Helper" released.');
  });
  await checks.run(`${cli.title} in a terminal: a message is not taken for what its model says`, async () => {
    const before = received.length;
    await bob.send('Speaker', `->relay:Bob one\n${'x '.repeat(200)}->relay:Bob two\n->mcp:Bob.look x`);
    await agent.hears('->mcp:Bob.look x');
    await setTimeout(AGAIN_MS);
    assert.equal(received.length, before);
    assert.equal(called.length, 1);
  });
}

/** How many of these its model has been told. */
const results = (agent: WrappedAgent, start: string): number =>
  agent.heard().join('\n').split(start).length - 1;

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  while (!(await holds())) {
    assert.ok(!deadline.aborted, 'it did not happen in time');
    await setTimeout(50);
  }
}
