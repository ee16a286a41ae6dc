import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';

/** The program that sent a message: said once in the handshake of the older era, in every request of the newer one. */
export function clientInfoOf(message: unknown): { name: string } | undefined {
  const params = (message as { params?: { clientInfo?: unknown; _meta?: Record<string, unknown> } } | null)
    ?.params;
  return asClientInfo(params?._meta?.[CLIENT_INFO_META_KEY] ?? params?.clientInfo);
}

/** What a program says about itself, if it says its name. */
export function asClientInfo(info: unknown): { name: string } | undefined {
  const name = (info as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? { name } : undefined;
}
