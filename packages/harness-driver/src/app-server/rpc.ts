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

/** What is at a place in an answer of which nobody promises the form. */
export function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
    value,
  );
}

/** The same for a text. */
export function textAt(value: unknown, ...keys: string[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}
