import { RelayError } from '@agent-relay/protocol';
import { describe, expect, test, vi } from 'vitest';
import { AGENT, messageOf, play, ScriptedPeer } from '../../../../test/kit/scripted-peer.ts';
import { connect } from './connect.ts';
import { unixSocketWire } from './unix-socket.ts';

const sent = { messageId: 'm', seq: 1, duplicate: false, recipients: 1, offline: [] };

describe('a lost connection', () => {
  test('sends open messages again with their ids and in order, before newer ones', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const results = [relay.send('Bob', 'one'), relay.send('Bob', 'two')];
    const first = [await daemon.take('SEND'), await daemon.take('SEND')];
    const lost = new Promise((resolve) => relay.once('disconnected', resolve));
    daemon.destroy();
    await lost;
    expect(relay.state).toBe('reconnecting');
    results.push(relay.send('Bob', 'three'));

    const again = await peer.welcome();
    const repeated = [await again.take('SEND'), await again.take('SEND'), await again.take('SEND')];
    expect(repeated.map(({ payload }) => payload.content)).toEqual(['one', 'two', 'three']);
    expect(repeated.slice(0, 2).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    for (const request of repeated) again.ack(request, sent);
    expect(await Promise.all(results)).toHaveLength(3);
    expect(relay.state).toBe('connected');
  });

  test('sends once even if the daemon is killed between commit and ack', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const result = relay.send('Bob', 'once');
    const { id } = await daemon.take('SEND');
    await peer.die();
    await peer.listen();
    const again = await peer.welcome();
    const repeated = await again.take('SEND');
    expect(repeated.id).toBe(id);
    again.ack(repeated, { ...sent, duplicate: true });
    expect(await result).toEqual({ ...sent, duplicate: true });
  });

  test('fails a request that cannot be repeated with Connection if it was sent, otherwise waits', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const unknown = relay.request('KEY_CREATE', {});
    await daemon.take('KEY_CREATE');
    daemon.destroy();
    await expect(unknown).rejects.toMatchObject({
      code: 'Connection',
      message: 'The connection was lost before KEY_CREATE was answered.',
      next: 'It may have taken effect. Check that before you try again.',
      retryable: false,
    });
    const waiting = relay.request('KEY_CREATE', {});
    const again = await peer.welcome();
    again.ack(await again.take('KEY_CREATE'), { key: 'k', keyId: 'i' });
    expect(await waiting).toEqual({ key: 'k', keyId: 'i' });
  });

  test('keeps no decision of a person for the next connection', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const lost = { code: 'Connection' };
    const digest = 'a'.repeat(64);
    const sent = relay.consents.answer('msg_1', 'allow');
    await daemon.take('CONSENT_ANSWER');
    const refused = relay.servers.approve('db', 'query', digest);
    daemon.refuse(await daemon.take('SERVER_APPROVE'), 'ShuttingDown');
    await expect(refused).rejects.toMatchObject({ code: 'ShuttingDown' });
    const gone = new Promise((resolve) => relay.once('disconnected', resolve));
    daemon.destroy();
    await expect(sent).rejects.toMatchObject(lost);
    await gone;
    for (const decision of [
      () => relay.consents.answer('msg_1', 'allow'),
      () => relay.prompts.answer({ agent: 'Bob', digest }, 'allow'),
      () => relay.held.release('msg_2'),
      () => relay.servers.approve('db', 'query', digest),
    ])
      await expect(decision()).rejects.toMatchObject(lost);
    const again = await peer.welcome();
    const waited = relay.status();
    // Nothing of all that comes before it.
    again.ack(await again.take('STATUS'), {});
    await waited;
  });

  test('sends requests that a stopping daemon refuses to the next one', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const result = relay.send('Bob', 'kept');
    daemon.refuse(await daemon.take('SEND'), 'ShuttingDown');
    daemon.send('ERROR', new RelayError('ShuttingDown').toPayload());
    daemon.destroy();
    const again = await peer.welcome();
    again.ack(await again.take('SEND'), sent);
    expect(await result).toEqual(sent);
  });

  test('is noticed after three missed heartbeats, and replaced', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath });
    const daemon = await peer.welcome({ heartbeatMs: 20 });
    await using relay = await connecting;
    const lost = new Promise<RelayError>((resolve) => relay.once('disconnected', resolve));
    await daemon.closed;
    expect((await lost).message).toContain('silent');
    await peer.welcome();
  });

  test('is kept while the daemon responds, and its PING is answered', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath });
    const daemon = await peer.welcome({ heartbeatMs: 20 });
    await using relay = await connecting;
    // Three heartbeats without a word would be too long.
    const end = performance.now() + 10 * 20;
    while (performance.now() < end) {
      daemon.send('PING', {});
      await daemon.take('PONG');
    }
    expect(relay.state).toBe('connected');
  });

  test('is dropped on garbage from the daemon, without an exception', async () => {
    await using scene = await play();
    const { peer, relay } = scene;
    let { daemon } = scene;
    const garbage: Array<(connection: typeof daemon) => void> = [
      (connection) => connection.sendBytes('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (connection) => connection.sendBytes(new Uint8Array([0, 0, 0, 2, 0xff, 0xfe])),
      (connection) => connection.sendBytes(new Uint8Array([0, 0, 0, 2, 0x7b, 0x7d])),
      (connection) => connection.send('ACK', null),
      (connection) => connection.send('DELIVER', { content: 'no number' }),
      (connection) => connection.send('REPLY', { id: 'x' }),
    ];
    for (const misbehave of garbage) {
      misbehave(daemon);
      await daemon.closed;
      daemon = await peer.welcome();
    }
    daemon.send('FUTURE', { of: 'a newer daemon' });
    daemon.send('ACK', { id: 'never asked' });
    const status = relay.status();
    daemon.ack(await daemon.take('STATUS'), { version: '1' });
    expect(await status).toEqual({ version: '1' });
  });

  test('ends the client and all its requests if a retry cannot help', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const closed = new Promise<RelayError | undefined>((resolve) => relay.once('closed', resolve));
    const waiting = relay.send('Bob', 'never');
    const iteration = relay.messages().next();
    daemon.destroy();
    const again = await peer.accept();
    await again.take('HELLO');
    again.send('ERROR', new RelayError('Unauthorized').toPayload());
    await expect(waiting).rejects.toMatchObject({ code: 'Unauthorized' });
    await expect(iteration).rejects.toMatchObject({ code: 'Unauthorized' });
    expect(await closed).toMatchObject({ code: 'Unauthorized' });
    expect(relay.state).toBe('closed');
    await expect(relay.status()).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  test('is not made again after a revocation', async () => {
    await using scene = await play();
    const closed = new Promise<RelayError | undefined>((resolve) => scene.relay.once('closed', resolve));
    scene.daemon.send('ERROR', new RelayError('Unauthorized').toPayload());
    scene.daemon.destroy();
    expect(await closed).toMatchObject({ code: 'Unauthorized' });
  });

  test('has a limit of waiting requests', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const lost = new Promise((resolve) => relay.once('disconnected', resolve));
    await peer.die();
    await Promise.all([lost, daemon.closed]);
    const waiting = Array.from({ length: 10_000 }, () => relay.status().catch((error) => error.code));
    await expect(relay.status()).rejects.toMatchObject({ code: 'Overloaded' });
    await relay.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['Cancelled']));
  });

  test('ends the client if reconnect is off', async () => {
    await using scene = await play({ reconnect: false });
    const waiting = scene.relay.status();
    scene.daemon.destroy();
    await expect(waiting).rejects.toMatchObject({ code: 'Connection' });
    expect(scene.relay.state).toBe('closed');
  });

  test('is given up after the configured number of attempts', async () => {
    await using scene = await play({ reconnect: { minDelayMs: 1, maxDelayMs: 1, attempts: 3 } });
    const attempts: number[] = [];
    scene.relay.on('reconnecting', ({ attempt }) => attempts.push(attempt));
    const closed = new Promise<RelayError | undefined>((resolve) => scene.relay.once('closed', resolve));
    await scene.peer.die();
    expect(await closed).toMatchObject({ code: 'DaemonNotRunning' });
    expect(attempts).toEqual([1, 2, 3]);
  });
});

describe('the first connection', () => {
  test('rejects at once when no daemon is there', async () => {
    await using peer = await ScriptedPeer.start();
    await peer.die();
    await expect(connect({ ...AGENT, socketPath: peer.socketPath })).rejects.toMatchObject({
      code: 'DaemonNotRunning',
    });
  });

  test('waits for the daemon if asked to', async () => {
    await using peer = await ScriptedPeer.start();
    await peer.die();
    const connecting = connect({
      ...AGENT,
      socketPath: peer.socketPath,
      reconnect: { ...AGENT.reconnect, initial: true },
    });
    await peer.listen();
    await peer.welcome();
    await using relay = await connecting;
    expect(relay).toMatchObject({ name: 'Alice', project: 'play', state: 'connected' });
  });

  test.each(['VersionMismatch', 'NameTaken', 'InvalidName', 'Forbidden', 'ShuttingDown'] as const)(
    'rejects with the %s of the daemon',
    async (code) => {
      await using peer = await ScriptedPeer.start();
      const connecting = connect({ ...AGENT, socketPath: peer.socketPath });
      const daemon = await peer.accept();
      daemon.send('ERROR', new RelayError(code, 'for a reason').toPayload((await daemon.take('HELLO')).id));
      await expect(connecting).rejects.toMatchObject({ code, message: 'for a reason' });
    },
  );

  test('rejects with VersionMismatch for another version of envelope or protocol', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath });
    const text = JSON.stringify({ v: 2, type: 'WELCOME' });
    (await peer.accept()).sendBytes(Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]));
    await expect(connecting).rejects.toMatchObject({ code: 'VersionMismatch' });
    const second = connect({ ...AGENT, socketPath: peer.socketPath });
    await peer.welcome({ protocol: 9 });
    await expect(second).rejects.toMatchObject({ code: 'VersionMismatch' });
  });

  test('rejects if the server is not a relay', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath });
    (await peer.accept()).sendBytes('SSH-2.0-OpenSSH_9.2\r\n');
    await expect(connecting).rejects.toMatchObject({ code: 'Connection' });
  });

  test('rejects with Timeout if the daemon accepts and sends nothing', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath, requestTimeoutMs: 50 });
    await expect(connecting).rejects.toMatchObject({ code: 'Timeout' });
  });

  test('reconnects as the same agent, by its latest name and its token', async () => {
    await using peer = await ScriptedPeer.start();
    const token = vi.fn(async () => 'at_kept');
    const connecting = connect({ ...AGENT, token, socketPath: peer.socketPath });
    const first = await peer.welcome();
    await using relay = await connecting;
    expect(first.hello).not.toHaveProperty('returning');
    first.destroy();
    const second = await peer.welcome({ agent: { name: 'Alina', type: 'agent', lead: false } });
    expect(second.hello).toMatchObject({ name: 'Alice', token: 'at_kept', returning: true });
    await vi.waitFor(() => expect(relay.name).toBe('Alina'));
    second.destroy();
    expect((await peer.welcome()).hello).toMatchObject({ name: 'Alina', token: 'at_kept', returning: true });
    expect(token).toHaveBeenCalledTimes(1);
  });

  test('keeps the token issued for a new name, and sends it when it reconnects', async () => {
    await using peer = await ScriptedPeer.start();
    const { socketPath } = peer;
    const open = unixSocketWire(async () => socketPath);
    const connecting = connect({ name: 'Alice', open, reconnect: AGENT.reconnect });
    const daemon = await peer.welcome({ agentToken: 'at_issued' });
    await using relay = await connecting;
    expect(daemon.hello?.token).toBeUndefined();
    expect(relay.agentToken).toBe('at_issued');
    daemon.destroy();
    expect((await peer.welcome()).hello?.token).toBe('at_issued');
    expect(relay.agentToken).toBe('at_issued');
  });
});

describe('requests', () => {
  test('fail with Timeout when the daemon does not answer, each at its own time', async () => {
    await using scene = await play({ requestTimeoutMs: 60 });
    await expect(scene.relay.status()).rejects.toMatchObject({ code: 'Timeout' });
    await expect(scene.relay.status()).rejects.toMatchObject({ code: 'Timeout' });
    expect(scene.relay.state).toBe('connected');
  });

  test('that would act twice are not retryable if they were sent and not answered', async () => {
    await using scene = await play({ requestTimeoutMs: 60 });
    const unknown = {
      code: 'Timeout',
      retryable: false,
      next: expect.stringContaining('may have taken effect'),
    };
    await expect(scene.relay.send('Bob', 'hi')).rejects.toMatchObject(unknown);
    await expect(scene.relay.sendAndWait('Bob', 'hi', { timeoutMs: 60 })).rejects.toMatchObject(unknown);
    await expect(scene.relay.status()).rejects.toMatchObject({ code: 'Timeout', retryable: true });
  });

  test('made without a connection fail with Timeout if none comes', async () => {
    await using scene = await play({ requestTimeoutMs: 60 });
    const lost = new Promise((resolve) => scene.relay.once('disconnected', resolve));
    await scene.peer.die();
    await lost;
    await expect(scene.relay.send('Bob', 'hi')).rejects.toMatchObject({ code: 'Timeout', retryable: true });
    expect(scene.relay.state).toBe('reconnecting');
  });

  test('of one turn are one write', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const before = daemon.reads;
    const answers = Array.from({ length: 50 }, (_, index) => relay.send('Bob', `message ${index}`));
    for (let index = 0; index < 50; index++) daemon.ack(await daemon.take('SEND'), sent);
    await Promise.all(answers);
    expect(daemon.reads - before).toBe(1);
  });

  test('that are too large are refused locally, and the connection stays', async () => {
    await using scene = await play();
    await expect(scene.relay.send('Bob', 'é'.repeat(600_000))).rejects.toMatchObject({
      code: 'FrameTooLarge',
    });
    expect(scene.relay.state).toBe('connected');
  });

  test('get the error of the daemon, with its next step and suggestions', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const sending = relay.send('Bbo', 'hi');
    const error = new RelayError('AgentNotFound', 'No Bbo.', { details: { suggestions: ['Bob'] } });
    daemon.send('ERROR', error.toPayload((await daemon.take('SEND')).id));
    await expect(sending).rejects.toMatchObject({
      code: 'AgentNotFound',
      message: 'No Bbo.',
      details: { suggestions: ['Bob'] },
    });
  });

  test('cannot share an id while both wait', async () => {
    await using scene = await play();
    const first = scene.relay.send('Bob', 'hi', { id: 'mine' });
    await expect(scene.relay.send('Bob', 'hi', { id: 'mine' })).rejects.toMatchObject({ code: 'IdConflict' });
    scene.daemon.ack(await scene.daemon.take('SEND'), sent);
    expect(await first).toEqual(sent);
  });

  test('use the names of the protocol', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const inbox = relay.inbox({ unreadOnly: false, limit: 3 });
    const inboxRequest = await daemon.take('INBOX');
    expect(inboxRequest.payload).toEqual({ limit: 3, unread_only: false, take: true });
    const messages = [messageOf(1), { ...messageOf(2), readAt: 5 }];
    daemon.ack(inboxRequest, { messages, unread: 4 });
    const marking = await daemon.take('ACK');
    expect(marking.payload).toEqual({ messages: ['msg_1'], state: 'read', path: 'pull' });
    daemon.ack(marking, { changed: 1 });
    expect(await inbox).toEqual({ messages, unread: 3 });

    const who = relay.who({ includeIdle: false });
    const whoRequest = await daemon.take('WHO');
    expect(whoRequest.payload).toEqual({ include_idle: false });
    daemon.ack(whoRequest, { agents: [] });
    expect(await who).toEqual([]);

    const read = relay.read('msg_1');
    const readRequest = await daemon.take('ACK');
    expect(readRequest.payload).toEqual({ messages: ['msg_1'], state: 'read' });
    daemon.ack(readRequest, { changed: 1 });
    expect(await read).toBe(1);
  });

  test('repeat an announcement in the HELLO of later connections', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const announced = relay.announce({ capabilities: ['review'] });
    daemon.ack(await daemon.take('ANNOUNCE'));
    await announced;
    daemon.destroy();
    expect((await peer.welcome()).hello?.capabilities).toEqual(['review']);
  });
});
