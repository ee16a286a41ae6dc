import { connect } from '@agent-relay/sdk/node';
import { expect, it } from 'vitest';
import { createSandbox } from '../../kit/daemon.ts';
import { headersOf } from '../../mcp/kit/http-door.ts';

it('counts an agent that registered with a key for that key, also at the MCP door with its own token', async () => {
  await using sandbox = await createSandbox({ settings: { mcp: { maxSessionsPerKey: 2 } } });
  const { stdout } = await sandbox.cli(['daemon', 'start', '--mcp-http', '0']);
  const mcp = /mcp +(http:\S+)/.exec(stdout)?.[1] ?? expect.unreachable(stdout);
  const http = /http +http:\/\/(\S+)/.exec(stdout)?.[1] ?? expect.unreachable(stdout);
  const keys: Array<{ key: string }> = [];
  for (let i = 0; i < 2; i++)
    keys.push(JSON.parse((await sandbox.cli(['workspace', 'key', 'create', '--json'])).stdout));
  const tokenOf = async (name: string, workspaceKey: string | undefined): Promise<string> => {
    await using relay = await connect({ url: `ws://${http}/ws`, env: {}, name, workspaceKey });
    return relay.agentToken ?? expect.unreachable('no token was issued');
  };
  const streams: Response[] = [];
  const stream = async (key: string) => {
    const response = await fetch(`${mcp}/sse`, { headers: headersOf({ key }) });
    streams.push(response);
    return response.status;
  };
  const [own, other] = keys.map(({ key }) => key) as [string, string];
  expect(await stream(await tokenOf('Ann', own))).toBe(200);
  expect(await stream(await tokenOf('Ben', own))).toBe(200);
  expect(await stream(await tokenOf('Cid', own))).toBe(429);
  expect(await stream(own)).toBe(429);
  expect(await stream(await tokenOf('Dan', other))).toBe(200);
  for (const { body } of streams) await body?.cancel();
});
