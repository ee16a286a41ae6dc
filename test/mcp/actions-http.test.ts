import { connect } from '@agent-relay/sdk/node';
import type { Transport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { callTool, connectClient, type TestClient } from './kit/clients.ts';
import {
  type HttpClientOptions,
  httpTransport,
  openDoor,
  sseTransport,
  type TestDoor,
} from './kit/http-door.ts';

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
  it('become tools while their owner is there, and have one form of result', async () => {
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
