import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { connect } from '@agent-relay/sdk/node';
import type { Progress } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { callTool, connectStdio, ERAS, MCP_PROGRAM, type TestClient } from './kit/clients.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const agent = (name: string) => connect({ socketPath: daemon.socketPath, env: daemon.env, name });

/** Asks until a wait ends as it should: on a busy machine a short one ends before the message is stored or read. */
async function waitInVain(client: TestClient, question: Record<string, unknown>, ending: RegExp) {
  for (let timeoutMs = 50; ; timeoutMs *= 4) {
    const reply = await callTool(client, 'relay_send', { ...question, timeout_ms: timeoutMs });
    if (ending.test(reply.texts[0] ?? '') || timeoutMs > 10_000) return reply;
  }
}

describe.each(ERAS)('bad input over stdio, revision %s', (era) => {
  it('gets an error each, and the server stays up', async () => {
    await using client = await connectStdio(daemon, { era });
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.readResource({ uri: 'relay://nowhere' })).rejects.toThrow(/nowhere|not found/i);
    await expect(client.getPrompt({ name: 'no_such_prompt' })).rejects.toMatchObject({ code: -32602 });
    const code = async (args: Record<string, unknown>) => {
      const { isError, data, texts } = await callTool(client, 'relay_send', args);
      expect(isError).toBe(true);
      expect(texts[0]).toMatch(/^Error: .+ Next: .+/);
      return (data.error as { code: string }).code;
    };
    expect(await code({ to: 'Alice' })).toBe('InvalidRequest');
    expect(await code({ to: 7, message: 'x' })).toBe('InvalidRequest');
    expect(await code({ to: 'Alice', message: 'x', await: true })).toBe('InvalidRequest');
    expect(await code({ to: 'Nobody', message: 'x' })).toBe('AgentNotFound');
    expect(await code({ to: 'not a name', message: 'x' })).toBe('InvalidName');
    expect(await code({ to: '*', message: ' ' })).toBe('EmptyBody');
    expect(await code({ to: '*', message: 'x'.repeat(70_000) })).toBe('BodyTooLarge');
    expect((await callTool(client, 'relay_who')).isError).toBe(false);
  });

  it('times out with the next step, and the reply still arrives in the inbox', async () => {
    const name = `Asker-${era.slice(0, 4)}`;
    await using slow = await agent('Slow');
    await using client = await connectStdio(daemon, { era, env: { RELAY_AGENT_NAME: name } });
    const question = { to: 'Slow', message: '?', await_response: true };
    const unread = /No answer from Slow .* Slow has not read it yet.* \[Timeout\] Next: /;
    const late = await waitInVain(client, question, unread);
    expect(late).toMatchObject({
      isError: true,
      data: {
        error: {
          code: 'Timeout',
          retryable: false,
          next: expect.stringContaining('Do not send it again'),
          details: { messageId: expect.stringMatching(/^msg_/) },
        },
      },
    });
    expect(late.texts[0]).toMatch(unread);
    // Somebody who has read it may still be at work.
    slow.on('message', ({ id }) => void slow.read(id));
    const read = / Slow read it \d+ s ago\. \[Timeout\] /;
    expect((await waitInVain(client, question, read)).texts[0]).toMatch(read);
    await slow.send(name, 'at last');
    expect((await callTool(client, 'relay_inbox')).data).toMatchObject({
      messages: [{ content: 'at last' }],
    });
  });

  it('reports progress while it waits, and stops when it is cancelled', async () => {
    const name = `Silent-${era.slice(0, 4)}`;
    await using silent = await agent(name);
    await using client = await connectStdio(daemon, { era });
    const cancel = new AbortController();
    const progress = Promise.withResolvers<Progress>();
    const asked = silent.messages().next();
    const startedAt = performance.now();
    const call = callTool(
      client,
      'relay_send',
      { to: name, message: '?', await_response: true },
      { signal: cancel.signal, onprogress: progress.resolve },
    );
    call.catch(() => undefined);
    const reported = await progress.promise;
    expect(reported).toMatchObject({ total: 30, message: `Waiting for ${name}` });
    const { progress: seconds } = reported;
    expect(seconds).toBeGreaterThanOrEqual(3);
    expect(seconds).toBeLessThanOrEqual(Math.round((performance.now() - startedAt) / 1000));
    cancel.abort();
    await expect(call).rejects.toThrow('aborted');
    // Answered after the cancellation was passed on: messages of one connection are served in order.
    await callTool(client, 'relay_status');
    // The relay does not wait any more either: the answer is an ordinary message.
    const { value: question } = await asked;
    await silent.send(question?.from ?? '', 'too late', { thread: question?.thread ?? '' });
    expect((await callTool(client, 'relay_inbox')).data).toMatchObject({
      messages: [{ content: 'too late' }],
    });
  });
});

it('does not crash on garbage, and the output has only JSON-RPC', async () => {
  const child = spawn(process.execPath, [MCP_PROGRAM, 'serve'], {
    env: daemon.env,
    cwd: daemon.projectDirectory,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const say = (line: string | Buffer) =>
      child.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
    const next = async () => JSON.parse((await lines.next()).value ?? '');
    say('not json');
    expect(await next()).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 } });
    say('{"hello":"world"}');
    expect(await next()).toMatchObject({ error: { code: -32600 } });
    say(Buffer.from([0xff, 0xfe, 0x00, 0x80]));
    expect(await next()).toMatchObject({ error: { code: -32700 } });
    say('['.repeat(100_000));
    expect(await next()).toMatchObject({ error: { code: -32700 } });
    // Too long to be kept: dropped, and the next line is served.
    say(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'y'.repeat(5_000_000)}"}}`);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    say(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'initialize', params }));
    expect(await next()).toMatchObject({ id: 2, result: { serverInfo: { name: 'agent-relay' } } });
    say(JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list' }));
    expect(await next()).toMatchObject({ id: 3, result: { tools: expect.any(Array) } });
    child.stdin.end();
    expect((await lines.next()).done).toBe(true);
  } finally {
    child.kill('SIGKILL');
  }
});
