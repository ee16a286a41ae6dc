import { type ClientRequest, request } from 'node:http';
import { type ListeningMcp, listenForMcp, type McpHttpOptions } from '@agent-relay/mcp';
import { afterEach, describe, expect, it } from 'vitest';

const JSON_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'flood', version: '1' } },
});
const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });

const open: Response[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((response) => response.body?.cancel()));
});

/** A door that needs no relay: nothing here goes further than the handshake. */
async function openDoor(options: Partial<McpHttpOptions>): Promise<ListeningMcp & AsyncDisposable> {
  const door = await listenForMcp({
    host: '127.0.0.1',
    port: 0,
    isKeyValid: async () => true,
    connect: () => new Promise(() => undefined),
    ...options,
  });
  return Object.assign(door, { [Symbol.asyncDispose]: () => door.close() });
}

/** One client of the door, known by its key. */
function clientOf({ url }: ListeningMcp, key: string) {
  const headers = { ...JSON_HEADERS, Authorization: `Bearer ${key}` };
  const refusalIn = async (response: Response) => (await response.json()).error.data.error;
  return {
    async session(): Promise<string> {
      const response = await fetch(url, { method: 'POST', headers, body: initialize });
      if (response.status !== 200) throw await refusalIn(response);
      await response.text();
      return response.headers.get('mcp-session-id') ?? '';
    },
    async isAlive(session: string): Promise<boolean> {
      const named = { ...headers, 'Mcp-Session-Id': session };
      const response = await fetch(url, { method: 'POST', headers: named, body: list });
      await response.text();
      return response.status === 200;
    },
    /** Why a body that is no JSON is not even read; undefined if it is. */
    async refusal(body: string): Promise<unknown> {
      const { error } = await (await fetch(url, { method: 'POST', headers, body })).json();
      return error.data?.error;
    },
    /** A request that says how long it is, and goes no further. */
    begin(bytes: number): ClientRequest {
      const begun = request(url, { method: 'POST', headers: { ...headers, 'Content-Length': bytes } });
      begun.on('error', () => undefined).flushHeaders();
      return begun;
    },
    /** Opens the stream of a session, or of the older transport, and keeps it. */
    async stream(session?: string): Promise<void> {
      const response = session
        ? await fetch(url, { headers: { ...headers, 'Mcp-Session-Id': session } })
        : await fetch(`${url}/sse`, { headers });
      if (response.status !== 200) throw await refusalIn(response);
      open.push(response);
    },
  };
}

const tooMany = (setting: string, limit: number) => ({
  code: 'LimitReached',
  next: expect.stringContaining(`"mcp.${setting}" in settings.json`),
  details: { limit, setting: `mcp.${setting}` },
});

describe('sessions', () => {
  it('beyond the limit of a key end others of that key only', async () => {
    await using door = await openDoor({ maxSessions: 6, maxSessionsPerKey: 3 });
    const [other, flooder] = [clientOf(door, 'other'), clientOf(door, 'flooder')];
    const kept = await other.session();
    const sessions: string[] = [];
    for (let i = 0; i < 20; i++) sessions.push(await flooder.session());
    expect(await other.isAlive(kept)).toBe(true);
    const alive = await Promise.all(sessions.map((session) => flooder.isAlive(session)));
    expect(alive.lastIndexOf(false)).toBe(16);
    expect(alive.slice(-3)).toEqual([true, true, true]);
  });

  it('that are all in use make another one of the same key fail', async () => {
    await using door = await openDoor({ maxSessions: 6, maxSessionsPerKey: 3 });
    const [other, flooder] = [clientOf(door, 'other'), clientOf(door, 'flooder')];
    for (let i = 0; i < 3; i++) await flooder.stream(await flooder.session());
    await expect(flooder.session()).rejects.toMatchObject(tooMany('maxSessionsPerKey', 3));
    await other.session();
  });

  it('beyond the total limit end one of the key with the most', async () => {
    await using door = await openDoor({ maxSessions: 6, maxSessionsPerKey: 4 });
    const [other, flooder] = [clientOf(door, 'other'), clientOf(door, 'flooder')];
    const kept = await other.session();
    for (let i = 0; i < 4; i++) await flooder.session();
    for (const key of ['one', 'two', 'three']) await clientOf(door, key).session();
    expect(await other.isAlive(kept)).toBe(true);
  });

  it('count for the account that the server names', async () => {
    await using door = await openDoor({ maxSessionsPerKey: 2, accountOf: () => 'all the same' });
    for (const key of ['one', 'two']) await clientOf(door, key).stream();
    await expect(clientOf(door, 'three').stream()).rejects.toMatchObject(tooMany('maxSessionsPerKey', 2));
  });
});

describe('streams', () => {
  it('of the older transport are limited per key', async () => {
    await using door = await openDoor({ maxSessions: 6, maxSessionsPerKey: 3 });
    const [other, flooder] = [clientOf(door, 'other'), clientOf(door, 'flooder')];
    for (let i = 0; i < 3; i++) await flooder.stream();
    await expect(flooder.stream()).rejects.toMatchObject(tooMany('maxSessionsPerKey', 3));
    for (let i = 0; i < 3; i++) await other.stream();
    await expect(clientOf(door, 'third').stream()).rejects.toMatchObject({ code: 'Overloaded' });
  });

  it('and requests are limited in number per key, until some end', async () => {
    await using door = await openDoor({ maxStreamsPerKey: 3 });
    const [other, flooder] = [clientOf(door, 'other'), clientOf(door, 'flooder')];
    for (let i = 0; i < 3; i++) await flooder.stream();
    await expect(flooder.session()).rejects.toMatchObject(tooMany('maxStreamsPerKey', 3));
    await other.session();
    await open.pop()?.body?.cancel();
    await expect.poll(() => flooder.session().catch(() => undefined)).toBeDefined();
  });

  it('and requests are limited in bytes per key, until some end', async () => {
    const problems: unknown[] = [];
    await using door = await openDoor({
      maxRequestBytesPerKey: 200_000,
      onerror: (error) => problems.push(error),
    });
    const [other, flooder] = [clientOf(door, 'other'), clientOf(door, 'flooder')];
    const unfinished = flooder.begin(150_000);
    await expect
      .poll(() => flooder.refusal('x'.repeat(60_000)))
      .toMatchObject(tooMany('maxRequestBytesPerKey', 200_000));
    expect(await other.refusal('x'.repeat(60_000))).toBeUndefined();
    await flooder.session();
    unfinished.destroy();
    await expect.poll(() => flooder.refusal('x'.repeat(190_000))).toBeUndefined();
    // Whoever breaks off is no trouble of the door.
    expect(problems).toEqual([]);
  });

  it('whose client disconnects before its key is checked do not count', async () => {
    const leaving = new AbortController();
    const left = Promise.withResolvers<void>();
    await using door = await openDoor({
      maxStreamsPerKey: 1,
      isKeyValid: async () => {
        if (!leaving.signal.aborted) {
          leaving.abort();
          await left.promise;
        }
        return true;
      },
    });
    const headers = { ...JSON_HEADERS, Authorization: 'Bearer hasty' };
    const gone = fetch(`${door.url}/sse`, { headers, signal: leaving.signal });
    await expect(gone).rejects.toThrow('aborted');
    // The door has noticed when it answers a later client.
    await fetch(new URL('/health', door.url)).then((response) => response.text());
    left.resolve();
    await clientOf(door, 'hasty').session();
  });
});
