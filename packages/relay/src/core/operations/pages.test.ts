import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

const MANY = 450;

let core: TestCore;
let workspace: Workspace;
let owner: Participant;
beforeAll(async () => {
  core = await openCore();
  workspace = await core.newWorkspace();
  owner = core.owner(workspace);
  for (let i = 0; i < MANY; i++) {
    await core.join(workspace, `agent-${i}x`);
    await owner.request('CHANNEL_CREATE', { name: `room-${i}x`, topic: 'x'.repeat(1000) });
  }
});
afterAll(() => core[Symbol.asyncDispose]());

type Page = { names: string[]; next: string | undefined };
const LISTS = {
  WHO: async (cursor?: string): Promise<Page> => {
    const { agents, next } = await owner.request('WHO', { includeOffline: true, cursor });
    return { names: agents.map(({ name }) => name), next };
  },
  CHANNEL_LIST: async (cursor?: string): Promise<Page> => {
    const { channels, next } = await owner.request('CHANNEL_LIST', { cursor });
    return { names: channels.map(({ name }) => name), next };
  },
};

describe.each(Object.entries(LISTS))('%s', (operation, page) => {
  it('returns pages of limited size: everything once, in the order of creation', async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const { names, next } = await page(cursor);
      expect(names.length).toBeLessThanOrEqual(200);
      found.push(...names);
      cursor = next;
    } while (cursor !== undefined);
    const expected =
      operation === 'WHO'
        ? Array.from({ length: MANY }, (_, i) => `agent-${i}x`)
        : ['#general', ...Array.from({ length: MANY }, (_, i) => `#room-${i}x`)];
    expect(found).toEqual(expected);
  });

  it('refuses an invalid cursor', async () => {
    await expect(page('elsewhere')).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: { field: 'cursor' },
    });
  });
});

describe('WHO', () => {
  it('returns every agent once, even if some are renamed, removed or new between pages', async () => {
    const first = await LISTS.WHO();
    await owner.request('AGENT_RENAME', { agent: 'agent-3x', name: 'renamed' });
    await owner.request('AGENT_REMOVE', { agent: first.names.at(-1) ?? '' });
    await core.join(workspace, 'newcomer');
    const rest: string[] = [];
    for (let cursor = first.next; cursor !== undefined; ) {
      const { names, next } = await LISTS.WHO(cursor);
      rest.push(...names);
      cursor = next;
    }
    expect(rest).toEqual([...Array.from({ length: MANY - 200 }, (_, i) => `agent-${i + 200}x`), 'newcomer']);
  });

  it('has fewer entries per page if they are large', async () => {
    const place = await core.newWorkspace();
    const capabilities = Array.from({ length: 110 }, (_, i) => `c${i}-`.padEnd(128, 'x'));
    for (let i = 0; i < 60; i++) await core.join(place, `agent-${i}x`, { capabilities });
    const { agents, next } = await core.owner(place).request('WHO', {});
    expect(Buffer.byteLength(JSON.stringify(agents))).toBeLessThan(600_000);
    expect(agents.length).toBeLessThan(60);
    expect(next).toBeDefined();
  });
});
