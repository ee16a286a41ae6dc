import { createServer } from '@agent-relay/mcp';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';

/** The same through MCP: the relay's server gives a client's model the action as a tool of that name. */
export async function reviewByTool(name: string, proposalId: string, vote: string): Promise<string> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const env = { ...process.env, RELAY_AGENT_NAME: name, RELAY_CHANNELS: '#reviewers' };
  const server = createServer({ env, tools: ['workspace', 'actions'] });
  await server.connect(serverSide);
  const client = new Client({ name: 'review-vote', version: '1.0.0' });
  await client.connect(clientSide);
  const call = async (tool: string, args: Record<string, unknown>) =>
    (await client.callTool({ name: tool, arguments: args })).structuredContent as Answer;
  try {
    // Acknowledged as soon as it is begun; the result is read when it is there.
    let answer = await call('review.submit_vote', { proposalId, vote });
    while (answer.ok && answer.status === 'invoked')
      answer = await call('get_invocation', { invocation_id: answer.invocation.invocationId });
    return answer.ok ? `${name} voted ${vote}` : `${name}: ${answer.error}`;
  } finally {
    await client.close();
    await server.close();
  }
}

type Answer =
  | { ok: true; status: 'invoked' | 'completed'; invocation: { invocationId: string } }
  | { ok: false; error: string };
