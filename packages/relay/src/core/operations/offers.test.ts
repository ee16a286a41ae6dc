import type { AgentOffer, ToolDefinition } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, QUOTAS, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let asker: Participant;
beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  asker = await core.join(workspace, 'Asker');
});

const tool = (name: string): ToolDefinition => ({ name, description: name, inputSchema: {} });
const announced = (name: string) => ({ ...tool(name), served: false });
const namesOf = ({ agents }: { agents: AgentOffer[] }) => agents.map(({ name }) => name);

describe('DISCOVER', () => {
  it('finds connected agents by capability or tool, or all that offer something', async () => {
    await core.join(workspace, 'Ann', { capabilities: ['review'] });
    await core.join(workspace, 'Ben', { tools: [tool('zip'), tool('add')] });
    const gone = await core.join(workspace, 'Cid', { capabilities: ['review'] });
    gone.disconnect();
    for (const capability of ['review', 'REVIEW'])
      expect(namesOf(await asker.request('DISCOVER', { capability }))).toEqual(['Ann']);
    expect(namesOf(await asker.request('DISCOVER', { tool: 'add' }))).toEqual(['Ben']);
    expect(namesOf(await asker.request('DISCOVER', { capability: 'review', tool: 'zip' }))).toEqual([
      'Ann',
      'Ben',
    ]);
    expect(await asker.request('DISCOVER', {})).toEqual({
      agents: [
        { name: 'Ann', capabilities: ['review'], tools: [], updatedAt: expect.any(Number) },
        { name: 'Ben', capabilities: [], tools: ['zip', 'add'], updatedAt: expect.any(Number) },
      ],
    });
    expect(await asker.request('DISCOVER', { tool: 'nothing' })).toEqual({ agents: [] });
  });

  it('includes the descriptions of capabilities', async () => {
    const review = { category: 'review', description: 'Reviews pull requests' };
    const ann = await core.join(workspace, 'Ann', { capabilities: [review, 'test'] });
    const offer = (descriptions: object) => ({
      agents: [
        {
          name: 'Ann',
          capabilities: ['review', 'test'],
          ...descriptions,
          tools: [],
          updatedAt: expect.any(Number),
        },
      ],
    });
    expect(await asker.request('DISCOVER', { capability: 'review' })).toEqual(
      offer({ descriptions: { review: 'Reviews pull requests' } }),
    );
    const { agents } = await asker.request('WHO', {});
    expect(agents.find(({ name }) => name === 'Ann')?.capabilities).toEqual(['review', 'test']);
    await ann.request('ANNOUNCE', {
      kind: 'capability_announcement',
      capabilities: ['review', 'test'],
      tools: [],
    });
    expect(await asker.request('DISCOVER', {})).toEqual(offer({}));
  });

  it('returns pages with every agent once, while others come and go', async () => {
    const members = await Promise.all(
      Array.from({ length: 450 }, (_, i) => core.join(workspace, `agent-${i}x`, { tools: [tool('zip')] })),
    );
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await asker.request('DISCOVER', { tool: 'zip', cursor });
      expect(page.agents.length).toBeLessThanOrEqual(200);
      found.push(...namesOf(page));
      cursor = page.next;
      members[0]?.disconnect();
    } while (cursor !== undefined);
    expect(new Set(found).size).toBe(450);
    expect(found).toHaveLength(450);
  });

  it('continues after a full page', async () => {
    const capabilities = Array.from({ length: 90 }, (_, i) => `c${i}-`.padEnd(128, 'x'));
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => core.join(workspace, `agent-${i}x`, { capabilities })),
    );
    const first = await asker.request('DISCOVER', {});
    expect(first.agents.length).toBeLessThan(60);
    const second = await asker.request('DISCOVER', { cursor: first.next });
    expect(first.agents.length + second.agents.length).toBe(60);
    expect(second.next).toBeUndefined();
  });
});

describe('tools that a connection serves', () => {
  it('are found beside announced ones, until the connection ends', async () => {
    const ann = await core.join(workspace, 'Ann', { tools: [tool('zip')] });
    await ann.serve({ name: 'add' }, { name: 'zip' });
    expect(await asker.request('DISCOVER', { tool: 'add' })).toEqual({
      agents: [{ name: 'Ann', capabilities: [], tools: ['zip', 'add'], updatedAt: expect.any(Number) }],
    });
    expect(await asker.request('TOOLS', { agent: 'Ann' })).toMatchObject({
      tools: [
        { name: 'add', served: true },
        { name: 'zip', served: true },
      ],
    });
    const second = ann.again();
    ann.disconnect();
    expect(await asker.request('DISCOVER', { tool: 'add' })).toEqual({ agents: [] });
    expect(await asker.request('TOOLS', { agent: 'Ann' })).toEqual({ tools: [announced('zip')] });
    second.disconnect();
  });

  it('are announced to watchers, many changes as one', async () => {
    const ann = await core.join(workspace, 'Ann');
    await asker.request('WATCH', {});
    const told = () => asker.events.filter(({ type }) => type === 'tools.changed');
    await ann.serve({ name: 'add' });
    await ann.serve({ name: 'zip' });
    core.clock.advance(20);
    expect(told()).toEqual([{ type: 'tools.changed', agent: 'Ann' }]);
    ann.disconnect();
    core.clock.advance(20);
    expect(told()).toHaveLength(2);
  });

  it.each([
    ['an address elsewhere', { $ref: 'https://example.com/schema.json' }],
    ['a part that is not there', { $ref: '#/$defs/nothing' }],
    ['a keyword that cannot be checked', { unevaluatedProperties: false }],
    ['no schema', { properties: { a: 'text' } }],
  ])('are refused with a schema that has %s', async (_, inputSchema) => {
    const ann = await core.join(workspace, 'Ann');
    await expect(ann.serve({ name: 'add', inputSchema })).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: expect.stringContaining('"add" has an invalid schema'),
    });
    expect(await asker.request('DISCOVER', {})).toEqual({ agents: [] });
  });

  it('count together for all connections of an agent', async () => {
    const ann = await core.join(workspace, 'Ann');
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `tool-${from + i}` }));
    await ann.serve(...many(0, 200));
    const refusal = { code: 'LimitReached', details: { setting: 'quotas.tools' } };
    await expect(ann.again().serve(...many(200, 57))).rejects.toMatchObject(refusal);
    await ann.serve(...many(0, 256));
  });
});

describe('TOOLS', () => {
  it('lists what one agent offers, connected or not', async () => {
    const ann = await core.join(workspace, 'Ann', { tools: [tool('zip')] });
    ann.disconnect();
    expect(await asker.request('TOOLS', { agent: 'Ann' })).toEqual({ tools: [announced('zip')] });
    expect(await asker.request('TOOLS', { agent: 'Asker' })).toEqual({ tools: [] });
    await expect(asker.request('TOOLS', { agent: 'Zoe' })).rejects.toMatchObject({ code: 'AgentNotFound' });
  });

  it('returns pages: an agent may have more tools than fit into one answer', async () => {
    await using large = await openCore({ quotas: { ...QUOTAS, toolsBytes: 400_000, servedBytes: 400_000 } });
    const there = await large.newWorkspace();
    const named = (word: string) =>
      Array.from({ length: 80 }, (_, at) => ({ ...tool(`${word}${at}`), description: 'x'.repeat(4000) }));
    const ann = await large.join(there, 'Ann', { tools: named('announced') });
    await ann.serve(...named('served'));
    const first = await ann.request('TOOLS', { agent: 'Ann' });
    expect(JSON.stringify(first).length).toBeLessThan(600_000);
    const second = await ann.request('TOOLS', { agent: 'Ann', cursor: first.next });
    expect(second.next).toBeUndefined();
    expect([...first.tools, ...second.tools].map(({ name }) => name)).toEqual(
      [...named('served'), ...named('announced')].map(({ name }) => name),
    );
  });

  it('keeps announced tools until the agent changes them', async () => {
    const ann = await core.join(workspace, 'Ann', { tools: [tool('zip')] });
    await core.join(workspace, 'Ann', { token: ann.token });
    expect(await asker.request('TOOLS', { agent: 'Ann' })).toEqual({ tools: [announced('zip')] });
    await core.join(workspace, 'Ann', { token: ann.token, tools: [] });
    expect(await asker.request('TOOLS', { agent: 'Ann' })).toEqual({ tools: [] });
  });
});
