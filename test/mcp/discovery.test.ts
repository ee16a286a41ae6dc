import { connect } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../kit/daemon.ts';
import { callTool, connectStdio } from './kit/clients.ts';

describe('relay_discover_capabilities', () => {
  it('finds agents by capability or tool, and lists a few of many without a filter', async () => {
    await using daemon = await startDaemon();
    const tool = (name: string) => ({ name, description: 'Does', inputSchema: {} });
    const agents = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
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
    expect(await names({ capability: 'testing' })).toHaveLength(29);
    const { texts, data } = await discover({});
    expect(JSON.parse(texts[0] ?? '')).toEqual(data.agents);
    expect(data).toMatchObject({ more: 10 });
    expect(data.agents).toHaveLength(20);
    expect(texts[1]).toBe('10 more agents are not shown. Filter by capability or tool.');
    for (const agent of data.agents as Array<{ name: string; tools: string[]; moreTools?: number }>)
      expect([agent.tools.length, agent.moreTools]).toEqual(
        agent.name === 'Worker-8x' ? [20, 5] : [2, undefined],
      );
    await Promise.all(agents.map((agent) => agent.close()));
  });
});
