import { connect } from '@agent-relay/sdk/node';
import type { Transport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectClient, type TestClient } from '../kit/clients.ts';
import {
  doorOptions,
  type HttpClientOptions,
  httpTransport,
  openDoor,
  sseTransport,
  type TestDoor,
} from '../kit/http-door.ts';

let daemon: TestDaemon;
let door: TestDoor;
beforeAll(async () => {
  daemon = await startDaemon();
  door = await openDoor(daemon);
});
afterAll(async () => {
  await door.close();
  await daemon[Symbol.asyncDispose]();
});

const toolNames = async (client: TestClient) => (await client.listTools()).tools.map(({ name }) => name);
const streamable = (options: HttpClientOptions) => httpTransport(door, options);
const legacy = (options: HttpClientOptions) => sseTransport(door.url.replace(/\/mcp$/, '/mcp/sse'), options);
type Opener = (options: HttpClientOptions) => Transport;

describe.each([
  ['Streamable HTTP, revision 2025-11-25', '2025-11-25', streamable],
  ['Streamable HTTP, revision 2026-07-28', '2026-07-28', streamable],
  ['the older HTTP transport', '2025-11-25', legacy],
] as ReadonlyArray<[string, '2025-11-25' | '2026-07-28', Opener]>)('actions over %s', (_title, era, open) => {
  it('become tools while their owner is connected, and have one form of result', async () => {
    const agent = 'Voter';
    await using client = await connectClient(open({ tools: 'workspace,actions', agent }), { era });
    const changes: Array<() => void> = [];
    const nextChange = () => new Promise<void>((resolve) => changes.push(resolve));
    client.setNotificationHandler('notifications/tools/list_changed', () => changes.shift()?.());
    if (era === '2026-07-28') await client.listen({ toolsListChanged: true });
    expect(await toolNames(client)).toContain('invoke_action');
    const owner = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Coordinator' });

    const appeared = nextChange();
    await owner.registerAction({
      name: 'review.submit_vote',
      description: 'Submit a vote.',
      input: z.object({ vote: z.enum(['approve', 'abstain']) }),
      handler: ({ input, agent: caller }) => `${caller.name} ${input.vote}`,
    });
    await appeared;
    expect(await toolNames(client)).toContain('review.submit_vote');

    const invocation = { invocationId: expect.any(String), actionName: 'review.submit_vote' };
    const vote = { vote: 'approve' };
    for (const name of ['review.submit_vote', 'review_submit_vote'])
      expect((await callTool(client, name, vote)).data).toEqual({ ok: true, status: 'invoked', invocation });
    const waited = await callTool(client, 'invoke_action', {
      ...{ name: 'review.submit_vote', input: vote, wait: true },
    });
    const completed = { ok: true, status: 'completed', invocation, result: `${agent} approve` };
    expect(waited.data).toEqual(completed);
    const { invocationId } = waited.data.invocation as { invocationId: string };
    const read = await callTool(client, 'get_invocation', { invocation_id: invocationId });
    expect(read.data).toEqual(completed);
    expect(await callTool(client, 'review.submit_vote', { vote: 'maybe' })).toMatchObject({
      isError: true,
      data: { ok: false, error: expect.stringContaining('vote must be one of'), code: 'InvalidArguments' },
    });

    const gone = nextChange();
    await owner.close();
    await gone;
    expect(await toolNames(client)).not.toContain('review.submit_vote');
  });
});

describe('a long list of actions', () => {
  const KIBIBYTE = 1024;
  const tools = 'actions';
  const large = (name: string) => ({
    ...{ name, description: 'Does', input: { description: 'x'.repeat(12_000) }, handler: () => name },
  });
  const joinAll = (names: string[]) =>
    Promise.all(names.map((name) => connect({ socketPath: daemon.socketPath, env: daemon.env, name })));

  it('has up to 512 KiB; the others can be called with invoke_action', async () => {
    const owners = await joinAll(['Wordy1', 'Wordy2']);
    const names = owners.map((_, o) => Array.from({ length: 35 }, (_, n) => `large${o}.act${n}`));
    await Promise.all(
      owners.flatMap((owner, o) => names[o]?.map((name) => owner.registerAction(large(name)))),
    );
    await using client = await connectClient(streamable({ tools, agent: 'Reader' }), { era: '2025-11-25' });
    const listed = (await client.listTools()).tools.filter(({ name }) => name.startsWith('large'));
    const bytes = Buffer.byteLength(JSON.stringify(listed));
    expect(bytes).toBeLessThanOrEqual(512 * KIBIBYTE);
    expect(bytes).toBeGreaterThan(480 * KIBIBYTE);
    const missing = names.flat().find((name) => !listed.some((tool) => tool.name === name)) ?? '';
    const { data } = await callTool(client, 'list_actions', { name: missing });
    expect(data.actions).toContainEqual(expect.objectContaining({ name: missing }));
    expect((await callTool(client, 'invoke_action', { name: missing, wait: true })).data).toMatchObject({
      ...{ status: 'completed', result: missing },
    });
    expect((await callTool(client, missing)).data).toMatchObject({ ok: true, status: 'invoked' });
    await Promise.all(owners.map((owner) => owner.close()));
  });

  it('is built for a few requests of one key at once; the others wait', async () => {
    let [reading, most] = [0, 0];
    const held = Promise.withResolvers<void>();
    const { connect: connectFor, ...options } = doorOptions(daemon);
    await using slow = await openDoor(daemon, {
      ...options,
      accountOf: () => 'one key',
      connect: async (profile, access) => {
        const relay = await connectFor(profile, access);
        const request = relay.request.bind(relay) as (type: string, params: unknown) => Promise<unknown>;
        const counted = async (type: string, params: unknown) => {
          if (type !== 'ACTIONS') return await request(type, params);
          reading += 1;
          most = Math.max(most, reading);
          await held.promise;
          return await request(type, params).finally(() => {
            reading -= 1;
          });
        };
        return Object.assign(relay, { request: counted });
      },
    });
    const clients = await Promise.all(
      ['R1', 'R2', 'R3', 'R4'].map((agent) =>
        connectClient(httpTransport(slow, { tools, agent }), { era: '2025-11-25' }),
      ),
    );
    // Each session also looks at the actions by itself, once it is connected, and that is one more.
    const looks = clients.length;
    const lists = Promise.all(
      clients.flatMap((client) => Array.from({ length: 6 }, () => client.listTools())),
    );
    await expect.poll(() => most).toBeGreaterThanOrEqual(8);
    held.resolve();
    expect(await lists).toHaveLength(24);
    expect(most).toBeLessThanOrEqual(8 + looks);
    await Promise.all(clients.map((client) => client.close()));
  });
});
