import { connect } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../kit/daemon.ts';
import { callTool, connectStdio } from '../kit/clients.ts';

describe('relay_discover_capabilities', () => {
  it('finds agents by capability or tool, and lists a few of many', async () => {
    await using daemon = await startDaemon();
    const tool = (name: string) => ({ name, description: 'Does', inputSchema: {} });
    const agents = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        connect({
          socketPath: daemon.socketPath,
          env: daemon.env,
          name: `Worker-${n}x`,
          capabilities: [n === 7 ? 'code_review' : 'testing'],
          tools: Array.from({ length: n === 8 ? 25 : 2 }, (_, i) => tool(`tool_${n}_${i}`)),
        }),
      ),
    );
    await using client = await connectStdio(daemon, { args: ['serve', '--tools', 'network'] });
    const discover = (args: Record<string, unknown>) => callTool(client, 'relay_discover_capabilities', args);
    const names = async (args: Record<string, unknown>) =>
      ((await discover(args)).data.agents as Array<{ name: string }>).map(({ name }) => name);
    expect(await names({ capability: 'Code_Review' })).toEqual(['Worker-7x']);
    expect(await names({ tool: 'tool_8_24' })).toEqual(['Worker-8x']);
    expect(await names({ capability: 'code_review', tool: 'tool_8_0' })).toHaveLength(2);
    expect((await discover({ tool: 'tool_8_24' })).data.agents).toMatchObject([
      { tools: ['tool_8_24', ...Array.from({ length: 19 }, (_, i) => `tool_8_${i}`)], moreTools: 5 },
    ]);
    const testing = await discover({ capability: 'testing' });
    expect(testing.data.agents).toHaveLength(50);
    expect(testing.data).toMatchObject({ more: 9 });
    expect(testing.texts[1]).toBe('9 more agents offer this too.');
    const { texts, data } = await discover({});
    expect(JSON.parse(texts[0] ?? '')).toEqual(data.agents);
    expect(data).toMatchObject({ more: 40 });
    expect(data.agents).toHaveLength(20);
    expect(texts[1]).toBe('40 more agents are not shown. Filter by capability or tool.');
    for (const agent of data.agents as Array<{ name: string; tools: string[]; moreTools?: number }>)
      expect([agent.tools.length, agent.moreTools]).toEqual(
        agent.name === 'Worker-8x' ? [20, 5] : [2, undefined],
      );
    await Promise.all(agents.map((agent) => agent.close()));
  });
});
