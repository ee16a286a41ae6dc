import { connect, type OpenWire } from '@agent-relay/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Served, serve } from '../../../../../test/kit/served.ts';
import type { AcceptConnection, Connection, ConnectionEvents } from './connection.ts';
import { Outgoing } from './connection.ts';
import { connectInMemory } from './memory.ts';

describe('clients of the SDK inside the process', () => {
  let served: Served;
  beforeEach(async () => {
    served = await serve({ maxConnections: 3 });
  });
  afterEach(() => served[Symbol.asyncDispose]());

  const inside = (kind: 'local' | 'remote'): OpenWire => {
    const { workspace } = served;
    const accept = served.sessions.acceptAt(kind === 'local' ? { kind, workspace } : { kind });
    return async (events) => connectInMemory(accept, events);
  };

  it('exchange messages in order, as over a socket', async () => {
    await using alice = await connect({ name: 'Alice', open: inside('local') });
    await using bob = await connect({ name: 'Bob', open: inside('local') });
    const texts = Array.from({ length: 600 }, (_, index) => String(index));
    await Promise.all(texts.map((text) => alice.send('Bob', text)));
    const received: string[] = [];
    for await (const { content } of bob.messages()) if (received.push(content) === texts.length) break;
    expect(received).toEqual(texts);
  });

  it('send their key if one is required', async () => {
    await expect(connect({ name: 'Eve', open: inside('remote') })).rejects.toMatchObject({
      code: 'Unauthorized',
    });
    await using alice = await connect({ name: 'Alice', workspaceKey: served.key, open: inside('remote') });
    expect(alice.project).toBe(served.workspace.name);
  });

  it('get an error if the daemon has no room for them', async () => {
    const clients = await Promise.all(
      ['A', 'B', 'C'].map((name) => connect({ name, open: inside('local') })),
    );
    const refused = connect({ name: 'D', open: inside('local'), reconnect: false });
    await expect(refused).rejects.toMatchObject({ code: 'Overloaded' });
    for (const client of clients) await client.close();
  });

  it('are told that the daemon stops', async () => {
    const alice = await connect({ name: 'Alice', open: inside('local'), reconnect: false });
    const closed = new Promise((resolve) => alice.on('closed', resolve));
    await served.sessions.drain();
    expect(await closed).toMatchObject({ code: 'ShuttingDown' });
  });
});

describe('a connection in memory', () => {
  /** A session and a client that record what they receive. */
  function open() {
    const heard: string[] = [];
    const gone = Promise.withResolvers<void>();
    let connection: Connection | undefined;
    const session: ConnectionEvents = {
      text: (text) => void heard.push(`session: ${text}`),
      invalid: () => undefined,
      drained: () => void heard.push('drained'),
      closed: () => {
        heard.push('session closed');
        gone.resolve();
      },
    };
    const accept: AcceptConnection = (accepted) => {
      connection = accepted;
      return session;
    };
    const wire = connectInMemory(accept, {
      onText: (text) => void heard.push(`client: ${text}`),
      onClose: () => void heard.push('client closed'),
    });
    if (!connection) throw new Error('The session got no connection.');
    return { wire, connection, heard, gone: gone.promise };
  }
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it('makes no callback inside a call', async () => {
    const { wire, connection, heard } = open();
    wire.send('question');
    connection.send(new Outgoing('answer'));
    expect(heard).toEqual([]);
    expect(connection.bufferedBytes).toBe('answer'.length);
    await nextTurn();
    expect(heard).toEqual(['session: question', 'client: answer', 'drained']);
    expect(connection.bufferedBytes).toBe(0);
  });

  it('keeps what a session has not read yet, even if the client closes', async () => {
    const { wire, connection, heard, gone } = open();
    connection.pause();
    wire.send('one');
    wire.send('two');
    wire.close();
    await nextTurn();
    expect(heard).toEqual([]);
    connection.resume();
    await gone;
    expect(heard).toEqual(['session: one', 'session: two', 'client closed', 'session closed']);
  });

  it('delivers the last frames of a session that closes, and closes once', async () => {
    const { wire, connection, heard, gone } = open();
    connection.send(new Outgoing('good-bye'));
    connection.close();
    await gone;
    wire.destroy();
    wire.send('too late');
    await nextTurn();
    expect(heard).toEqual(['client: good-bye', 'drained', 'client closed', 'session closed']);
  });

  it('drops frames in flight when it is destroyed', async () => {
    const { wire, heard, gone } = open();
    wire.send('never heard');
    wire.destroy();
    await gone;
    expect(heard).toEqual(['client closed', 'session closed']);
  });
});
