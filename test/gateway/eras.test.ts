import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, progressOf, textOf } from './kit/gateway-kit.ts';
import { type HttpBackend, SDK_SERVER, startHttpServer } from './kit/sdk-server.ts';

const PIN = { mode: { pin: '2026-07-28' } } as const;
const node = (name: string, era: string, settings = {}) => ({
  name,
  command: process.execPath,
  args: [SDK_SERVER, era],
  prefix: true,
  ...settings,
});

/** Lets a client answer what it is asked. */
function answer(client: Client): void {
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Bob' } }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'Paris' },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }));
}
const capabilities = { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } };

describe('each kind of caller with each kind of backend', () => {
  let kit: GatewayKit;
  const http: HttpBackend[] = [];
  beforeAll(async () => {
    http.push(await startHttpServer('legacy'), await startHttpServer('modern'));
    kit = await GatewayKit.start([
      node('old', 'legacy'),
      node('new', 'modern'),
      { name: 'oldhttp', url: http[0]?.url, prefix: true },
      { name: 'newhttp', url: http[1]?.url, prefix: true },
      node('own', 'legacy', { scope: 'session' }),
      { name: 'ownhttp', url: http[0]?.url, prefix: true, scope: 'session' },
    ]);
  });
  afterAll(async () => {
    await kit[Symbol.asyncDispose]();
    for (const server of http) await server[Symbol.asyncDispose]();
  });

  const callers = { legacy: {}, modern: { versionNegotiation: PIN } };
  async function caller(era: keyof typeof callers): Promise<Client> {
    const client = await kit.client({ capabilities, ...callers[era] });
    answer(client);
    return client;
  }

  test('detects the era of each backend', () => {
    expect(
      kit.gateway
        .status()
        .servers.filter(({ name }) => !name.startsWith('own'))
        .map(({ name, health }) => [name, health]),
    ).toEqual([
      ['old', 'healthy'],
      ['new', 'healthy'],
      ['oldhttp', 'healthy'],
      ['newhttp', 'healthy'],
    ]);
  });

  for (const era of ['legacy', 'modern'] as const) {
    describe(`${era} caller`, () => {
      test.each(['old', 'new', 'oldhttp', 'newhttp', 'own'])(
        '%s backend: results, progress in order, errors',
        async (backend) => {
          const client = await caller(era);
          const greeting = await client.callTool({ name: `${backend}_greet`, arguments: { name: 'Ann' } });
          expect(greeting.structuredContent).toEqual({ greeting: 'Hello Ann' });
          expect(await progressOf(client, { name: `${backend}_steps`, arguments: { count: 5 } })).toEqual([
            1, 2, 3, 4, 5,
          ]);
          expect((await client.callTool({ name: `${backend}_greet`, arguments: {} })).isError).toBe(true);
        },
      );

      test.each(['new', 'newhttp'])(
        '%s backend asks by "input required", even if it is shared',
        async (backend) => {
          const client = await caller(era);
          expect(textOf(await client.callTool({ name: `${backend}_ask`, arguments: {} }))).toBe(
            'You are Bob',
          );
        },
      );

      test.each(['own', 'ownhttp'])(
        '%s backend asks in the middle of a call: elicitation and sampling',
        async (backend) => {
          const client = await caller(era);
          expect(textOf(await client.callTool({ name: `${backend}_push_ask`, arguments: {} }))).toBe(
            'accept {"name":"Bob"}',
          );
          expect(textOf(await client.callTool({ name: `${backend}_sample`, arguments: {} }))).toContain(
            'Paris',
          );
          expect(textOf(await client.callTool({ name: `${backend}_ask`, arguments: {} }))).toBe(
            'You are Bob',
          );
        },
      );

      test('prompts, completions, resources and templates', async () => {
        const client = await caller(era);
        expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('newhttp_write');
        const prompt = await client.getPrompt({ name: 'old_write', arguments: { topic: 'tea' } });
        expect(prompt.messages[0]?.content).toMatchObject({ text: 'Write about tea' });
        const ref = { type: 'ref/prompt' as const, name: 'new_write' };
        const completion = await client.complete({ ref, argument: { name: 'topic', value: 't' } });
        expect(completion.completion.values).toEqual(['tea', 'tools']);
        const itemRef = { type: 'ref/resource' as const, uri: 'item://{id}' };
        expect(
          (await client.complete({ ref: itemRef, argument: { name: 'id', value: '' } })).completion.values,
        ).toEqual(['7', '8']);
        expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['note://one']);
        expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
        expect((await client.readResource({ uri: 'note://one' })).contents[0]).toMatchObject({
          text: 'first',
        });
        expect((await client.readResource({ uri: 'item://9' })).contents[0]).toMatchObject({
          text: 'item 9',
        });
        await expect(client.readResource({ uri: 'nope://x' })).rejects.toThrow(/nope/);
      });

      test('a tool that a backend adds appears, and the client is notified', async () => {
        const client = await caller(era);
        let told = 0;
        client.setNotificationHandler('notifications/tools/list_changed', () => void told++);
        if (era === 'modern') await client.listen({ toolsListChanged: true });
        const before = (await client.listTools()).tools.length;
        await client.callTool({ name: `${era === 'modern' ? 'new' : 'old'}_grow`, arguments: {} });
        await eventually(async () => told > 0 && (await client.listTools()).tools.length > before);
      });

      test('updates of a resource reach its subscribers only', async () => {
        const client = await caller(era);
        const other = await caller(era);
        const heard: string[] = [];
        client.setNotificationHandler(
          'notifications/resources/updated',
          ({ params }) => void heard.push(params.uri),
        );
        other.setNotificationHandler('notifications/resources/updated', () => void heard.push('other'));
        if (era === 'modern') await client.listen({ resourceSubscriptions: ['note://one'] });
        else await client.subscribeResource({ uri: 'note://one' });
        await eventually(async () => {
          await client.callTool({ name: 'old_touch', arguments: {} });
          return heard.length > 0;
        });
        expect(new Set(heard)).toEqual(new Set(['note://one']));
      });

      test('log messages of a call reach its caller', async () => {
        const client = await caller(era);
        const lines: unknown[] = [];
        client.setNotificationHandler('notifications/message', ({ params }) => void lines.push(params.data));
        if (era === 'legacy') await client.setLoggingLevel('info');
        const _meta = era === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {};
        await client.callTool({ name: `${era === 'modern' ? 'new' : 'old'}_log`, arguments: {}, _meta });
        await eventually(() => lines.includes('careful'));
      });
    });
  }

  test('a session backend has its own process and state for each client', async () => {
    const [ann, bob] = [await caller('legacy'), await caller('legacy')];
    expect(textOf(await ann.callTool({ name: 'own_count', arguments: {} }))).toBe('1');
    expect(textOf(await ann.callTool({ name: 'own_count', arguments: {} }))).toBe('2');
    expect(textOf(await bob.callTool({ name: 'own_count', arguments: {} }))).toBe('1');
  });

  test('notifications of a session backend reach its own client only', async () => {
    const [ann, bob] = [await caller('legacy'), await caller('legacy')];
    const heard: string[] = [];
    for (const [name, client] of [
      ['ann', ann],
      ['bob', bob],
    ] as const) {
      await client.callTool({ name: 'own_count', arguments: {} });
      client.setNotificationHandler('notifications/message', () => void heard.push(`log ${name}`));
      client.setNotificationHandler(
        'notifications/resources/updated',
        () => void heard.push(`update ${name}`),
      );
    }
    await ann.callTool({ name: 'own_log', arguments: {} });
    await eventually(() => heard.includes('log ann'));
    expect(heard).not.toContain('log bob');
    const status = await ann.callTool({ name: 'relay_get_status', arguments: {} });
    const servers = JSON.parse(textOf(status)).servers as Array<{ name: string; tools: number }>;
    expect(servers.find(({ name }) => name === 'own')?.tools).toBeGreaterThan(5);
  });

  test('initializes an HTTP backend again that lost its sessions, and the call succeeds', async () => {
    const client = await caller('legacy');
    http[0]?.forget();
    expect(textOf(await client.callTool({ name: 'oldhttp_greet', arguments: { name: 'Eve' } }))).toBe(
      'Hello Eve',
    );
  });

  test('never passes on the token of a caller', () => {
    for (const server of http) {
      for (const headers of server.requests) expect(headers).not.toHaveProperty('authorization');
    }
  });
});
