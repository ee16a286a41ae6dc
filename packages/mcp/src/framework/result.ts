import { failureText, safeData, safeText } from '@agent-relay/protocol';
import { isRelayError, RelayError } from '@agent-relay/sdk';
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server';

/*
 * Every tool result and every resource content is created here, so that no text from elsewhere reaches a model with
 * characters that a person would not see: controls, direction marks, tags.
 */

export const JSON_TYPE = 'application/json';

/** A result: text for the model, and the same as data for programs. */
export const reply = (text: string | string[], data: Record<string, unknown>): CallToolResult => ({
  content: [text].flat().map((line) => ({ type: 'text', text: safeText(line) })),
  structuredContent: safeData(data),
});

/** A result whose text is its data as JSON; an array is wrapped under the given name. */
export const replyJson = (data: Record<string, unknown>, shown: unknown = data): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(safeData(shown)) }],
  structuredContent: safeData(data),
});

/** Any error as a tool result: a sentence with the next step, and the same as data. */
export function failureResult(error: unknown, failed?: string): CallToolResult {
  const failure = isRelayError(error) ? error : internalError(error);
  return { isError: true, ...reply(failureText(failure, failed), { error: failure.toPayload() }) };
}

export const internalError = (cause: unknown): RelayError =>
  new RelayError('Internal', 'The MCP server failed to process this call.', { cause });

/** The content of a resource: data as JSON. */
export const jsonContents = (uri: string, value: unknown): ReadResourceResult => ({
  contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(safeData(value), null, 2) }],
});
