import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@agent-relay/sdk/node';
import { runInstall } from '../../../packages/mcp/src/install/index.ts';
import type { TestDaemon } from '../../kit/daemon.ts';
import type { Agent } from '../agent.ts';
import { type TappedMessage, tapServer } from '../mcp-tap.ts';
import type { Checks } from './checks.ts';

const DOCS = new URL('../../../docs/clients.md', import.meta.url);

/** What the real client does with notifications, beside what docs/clients.md says of it. */
export async function checkNotifications(
  checks: Checks,
  { cli, home, ask }: Agent,
  daemon: TestDaemon,
  project: string,
): Promise<void> {
  const { id, title, version } = cli;
  await checks.run(`${title} does with notifications what the docs say`, async () => {
    const [change] = await runInstall({
      ...{ editor: id, cwd: project, env: { ...daemon.env, HOME: home }, name: title },
      tools: 'workspace,actions',
      print: () => undefined,
    });
    assert.ok(change);
    const tapped = await tapServer(change.file, daemon.directory);
    await using teller = await connect({ env: daemon.env, cwd: project, name: 'Teller' });
    const act = { description: 'Acts', input: {} };
    await teller.registerAction({
      ...{ name: 'tell.open', ...act },
      handler: async () => {
        await teller.registerAction({ name: 'tell.late', ...act, handler: () => true });
        await teller.send(title, `News of ${title}`);
        // The client has time to ask for what it was told of.
        await delay(1000);
      },
    });
    await ask(['use invoke_action {"name":"tell.open","wait":true}', 'use list_actions {}']);

    const messages = await tapped();
    const row = await rowOf(version);
    assert.ok(row.includes(`| ${revisionOf(messages)} |`), `${row} has not ${revisionOf(messages)}`);
    assert.equal(listsAgain(messages), !/never lists again/.test(row), row);
    assert.equal(followsResources(messages), !/never subscribes/.test(row), row);
  });
}

async function rowOf(version: string): Promise<string> {
  const [, section = ''] = (await readFile(DOCS, 'utf8')).split('## Notifications');
  const row = section.split('\n').find((line) => line.startsWith('| ') && line.includes(` ${version} |`));
  if (row === undefined) throw new Error(`docs/clients.md has no row for version ${version}.`);
  return row;
}

/** The one that it asks for, or says with each request. */
function revisionOf(messages: TappedMessage[]): unknown {
  const [first] = messages.filter(({ from }) => from === 'client');
  const { protocolVersion, _meta } = (first?.message.params ?? {}) as Record<string, Record<string, unknown>>;
  return protocolVersion ?? _meta?.['io.modelcontextprotocol/protocolVersion'];
}

/** Whether it asks for its tools after it was told that they changed. */
function listsAgain(messages: TappedMessage[]): boolean {
  const methods = messages.map(({ message }) => message.method);
  const told = methods.indexOf('notifications/tools/list_changed');
  assert.ok(told !== -1, 'It was not told of the new action.');
  return methods.indexOf('tools/list', told) !== -1;
}

const followsResources = (messages: TappedMessage[]): boolean =>
  messages.some(
    ({ message: { method, params } }) =>
      method === 'resources/subscribe' ||
      (method === 'subscriptions/listen' && JSON.stringify(params).includes('resourceSubscriptions')),
  );
