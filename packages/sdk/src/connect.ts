import { type HelloPayload, isRelayError, PROTOCOL } from '@agent-relay/protocol';
import { ClientSession } from './connection/client-session.ts';
import { webSocketWire } from './connection/websocket.ts';
import type { OpenWire } from './connection/wire.ts';
import { type ParticipantOptions, PROFILE_FIELDS } from './options.ts';
import { Relay } from './relay/relay.ts';

/** How to reach the daemon: its URL (`https://host` is `wss://host/ws`), or a custom transport. */
export type ConnectOptions = ParticipantOptions & ({ url: string | URL } | { open: OpenWire });

/** Connects to the relay; resolves on WELCOME, rejects with a `RelayError`. */
export async function connect(options: ConnectOptions): Promise<Relay> {
  try {
    return await connectOnce(options);
  } catch (error) {
    const token = await otherToken(options, error);
    if (token === undefined) throw error;
    return await connectOnce({ ...options, token });
  }
}

/** The agent may have been renamed: then its token is stored under another name. */
async function otherToken({ token }: ParticipantOptions, error: unknown): Promise<string | undefined> {
  if (typeof token !== 'function' || !isRelayError(error, 'NameTaken')) return undefined;
  const wanted = error.details?.tokenId;
  return wanted === undefined ? undefined : token(wanted);
}

async function connectOnce(options: ConnectOptions): Promise<Relay> {
  const { reconnect = true, requestTimeoutMs = 30_000 } = options;
  const session = new ClientSession({
    open: 'open' in options ? options.open : webSocketWire(String(options.url)),
    hello: helloOf(options),
    token: options.token,
    channels: options.channels ?? [],
    reconnect: reconnect === true ? {} : reconnect,
    requestTimeoutMs,
  });
  await session.start();
  return new Relay(session);
}

function helloOf(options: ParticipantOptions): HelloPayload {
  return {
    ...Object.fromEntries(PROFILE_FIELDS.map((field) => [field, options[field]])),
    protocol: { ...PROTOCOL },
    ...(options.notify ? { notify: true } : {}),
    ...(options.paths ? { paths: options.paths } : {}),
    ...(options.receiver ? { receiver: options.receiver } : {}),
    ...(options.hooks ? { hooks: options.hooks } : {}),
  };
}
