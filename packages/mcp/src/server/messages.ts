import { CLIENT_INFO_META_KEY, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/server';

/** Accepts a value as a message if it has the right shape; the handler of the method checks the rest. */
export function asMessage(value: unknown): JSONRPCMessage {
  const { jsonrpc, method, id, result, error } = Object(value) as Record<string, unknown>;
  const hasId = typeof id === 'string' || typeof id === 'number';
  const isCall = typeof method === 'string' && (hasId || id === undefined);
  const isReply = hasId && (isObject(result) || isObject(error));
  if (jsonrpc === '2.0' && (isCall || isReply)) return value as JSONRPCMessage;
  throw new TypeError('This is not a JSON-RPC message.');
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The request a message replies to, and whether with a result; undefined for any other message. */
export function repliedTo(message: JSONRPCMessage): { id: RequestId; isResult: boolean } | undefined {
  if ('method' in message || message.id === undefined) return undefined;
  return { id: message.id, isResult: 'result' in message };
}

/** The client program: sent once in the handshake of the older era, in every request of the newer one. */
export function clientInfoOf(message: unknown): { name: string } | undefined {
  const params = (message as { params?: { clientInfo?: unknown; _meta?: Record<string, unknown> } } | null)
    ?.params;
  return asClientInfo(params?._meta?.[CLIENT_INFO_META_KEY] ?? params?.clientInfo);
}

/** The client info, if it has a name. */
export function asClientInfo(info: unknown): { name: string } | undefined {
  const name = (info as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? { name } : undefined;
}
