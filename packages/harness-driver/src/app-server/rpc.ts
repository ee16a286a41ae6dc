/** A message of the app server's protocol: JSON-RPC without its version. */
export interface RpcMessage {
  id?: string | number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/** The message in a text; undefined if it is none. */
export function parseRpc(text: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as RpcMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** The value at a path of an answer whose structure is not guaranteed. */
export function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
    value,
  );
}

/** The same for strings. */
export function textAt(value: unknown, ...keys: string[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}
