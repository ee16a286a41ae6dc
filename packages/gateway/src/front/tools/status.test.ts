import { expect, it } from 'vitest';
import { describeServers, type ServerStatus } from './status.ts';

const server = (name: string, more: Partial<ServerStatus>): ServerStatus => ({
  name,
  url: `ws://${name}`,
  connected: false,
  health: 'unknown',
  tools: 0,
  tool_names: [],
  ...more,
});

it('reports the current state of each server', () => {
  const servers = [
    server('fine', { connected: true, health: 'healthy', tools: 2 }),
    server('odd', {
      connected: true,
      health: 'degraded',
      tools: 1,
      invalid_tools: [{ name: 'x', reason: 'no schema' }],
      error: '1 invalid tool: x - no schema',
    }),
    server('gone', { health: 'failed', tools: 3, error: 'refused' }),
    server('new', { health: 'connecting', tools: 3 }),
  ];
  expect(
    describeServers({ total_servers: 4, connected_servers: 2, servers }),
  ).toBe(`**MCP Relay - Connected Servers:**

- **fine**: ✅ Connected (healthy)
  - URL: ws://fine
  - Valid Tools: 2

- **odd**: ⚠️ Connected (degraded)
  - URL: ws://odd
  - Valid Tools: 1
  - Invalid Tools: 1
  - Error: 1 invalid tool: x - no schema

- **gone**: ❌ Disconnected (failed)
  - URL: ws://gone
  - Valid Tools: 3 (from the last connection)
  - Error: refused

- **new**: ⏳ Connecting
  - URL: ws://new
  - Valid Tools: 3 (from the last connection)`);
});

it('reports that the file on disk is not applied', () => {
  const config_error = 'The configuration on disk is not applied. a.yaml:1:1: no';
  const text = describeServers({ total_servers: 0, connected_servers: 0, servers: [], config_error });
  expect(text).toBe(`**MCP Relay - Connected Servers:**\n\n⚠️ ${config_error}`);
});
