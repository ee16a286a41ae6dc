import { safeLine } from '@agent-relay/protocol';
import { isRelayError, RelayError } from '@agent-relay/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';

/** Any failure as the result of a tool: a sentence with the next step, and the same as data. */
export function failureResult(error: unknown): CallToolResult {
  const failure = isRelayError(error)
    ? error
    : new RelayError('Internal', 'The MCP server failed at this call.', { cause: error });
  return {
    isError: true,
    content: [{ type: 'text', text: failureText(failure) }],
    structuredContent: { error: failure.toPayload() },
  };
}

export const failureText = ({ message, next }: RelayError): string =>
  safeLine(`Error: ${message} Next: ${next}`);
