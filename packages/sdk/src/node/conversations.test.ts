import { createHash } from 'node:crypto';
import { ATTACHMENT_CHUNK_BYTES, type OperationInput, RelayError } from '@agent-relay/protocol';
import { describe, expect, test } from 'vitest';
import { AGENT, messageOf, play, ScriptedPeer } from '../../../../test/kit/scripted-peer.ts';
import { connect } from './connect.ts';

describe('channels named in connect', () => {
  test('are joined before connect resolves, and again after a reconnect, unless it left them', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath, channels: ['#dev', 'ops'] });
    const daemon = await peer.welcome();
    for (const channel of ['#dev', 'ops']) {
      const request = await daemon.take('CHANNEL_JOIN');
      expect(request.payload).toEqual({ channel, create: true });
      daemon.ack(request, { channel: {}, joined: true });
    }
    await using relay = await connecting;
    const leaving = relay.channels.leave('DEV');
    daemon.ack(await daemon.take('CHANNEL_LEAVE'), { left: true });
    expect(await leaving).toBe(true);
    daemon.destroy();
    const again = await peer.welcome();
    expect((await again.take('CHANNEL_JOIN')).payload).toEqual({ channel: 'ops', create: true });
  });

  test('that cannot be joined end the attempt with the reason', async () => {
    await using peer = await ScriptedPeer.start();
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath, channels: ['old'] });
    const daemon = await peer.welcome();
    daemon.refuse(await daemon.take('CHANNEL_JOIN'), 'ChannelArchived');
    await expect(connecting).rejects.toMatchObject({ code: 'ChannelArchived' });
    await daemon.closed;
  });

  test('come from RELAY_CHANNELS, for an agent but not for an observer', async () => {
    await using peer = await ScriptedPeer.start();
    const env = { RELAY_CHANNELS: '#a, b' };
    const connecting = connect({ ...AGENT, socketPath: peer.socketPath, env });
    const daemon = await peer.welcome();
    for (const channel of ['#a', 'b']) {
      const request = await daemon.take('CHANNEL_JOIN');
      expect(request.payload).toMatchObject({ channel });
      daemon.ack(request);
    }
    await using _agent = await connecting;
    const observing = connect({ socketPath: peer.socketPath, env });
    const other = await peer.welcome();
    await using observer = await observing;
    const status = observer.status();
    other.ack(await other.take('STATUS'));
    await status;
  });
});

describe('events', () => {
  test('arrive complete, under their own names; messages only during a tail', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const seen: unknown[] = [];
    relay.on('reaction.added', (event) => seen.push(event));
    relay.on('channel.topic', ({ channel, topic }) => seen.push(`${channel}: ${topic}`));
    relay.on('message.created', ({ message }) => seen.push(message.seq));
    const watching = relay.watch();
    daemon.ack(await daemon.take('WATCH'));
    await watching;
    const reaction = { type: 'reaction.added', messageId: 'msg_1', emoji: '👍', agent: 'Bob' };
    daemon.send('EVENT', { type: 'message.created', message: messageOf(1) });
    daemon.send('EVENT', reaction);
    daemon.send('EVENT', { type: 'channel.topic', channel: '#dev', topic: 'ship it', agent: 'Bob' });
    const first = relay.tail({ after: 1 }).next();
    daemon.ack(await daemon.take('TAIL'), { after: 1 });
    for (const seq of [1, 2]) daemon.send('EVENT', { type: 'message.created', message: messageOf(seq) });
    expect((await first).value).toMatchObject({ seq: 2 });
    expect(seen).toEqual([reaction, '#dev: ship it', 2]);
  });
});

describe('sending', () => {
  test('needs no address for a reply, and takes names for a group', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const replied = relay.reply('msg_1', 'yes', { kind: 'status' });
    const reply = await daemon.take('SEND');
    expect(reply.payload).toEqual({ replyTo: 'msg_1', content: 'yes', kind: 'status' });
    daemon.ack(reply, { messageId: 'msg_2' });
    expect(await replied).toMatchObject({ messageId: 'msg_2' });
    const sent = relay.send(['Bob', 'Carol'], 'both of you');
    const group = await daemon.take('SEND');
    expect(group.payload).toEqual({ to: ['Bob', 'Carol'], content: 'both of you' });
    daemon.ack(group);
    await sent;
  });

  test('does not wait for the answer to a held message', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const waiting = relay.sendAndWait('Bob', 'thanks!', { timeoutMs: 60_000 });
    daemon.ack(await daemon.take('SEND'), { messageId: 'msg_1', held: 'muted by loop governor' });
    await expect(waiting).rejects.toMatchObject({
      code: 'MessageHeld',
      message: expect.stringMatching(/muted by loop governor/),
    });
  });
});

describe('files', () => {
  const content = new Uint8Array(ATTACHMENT_CHUNK_BYTES + 3).map((_, index) => index * 7);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const attachment = {
    id: 'att_1',
    name: 'log.bin',
    mediaType: 'application/octet-stream',
    size: content.length,
    sha256,
  };

  test('are uploaded in pieces, with their hash at the end', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const attaching = relay.attach('log.bin', content);
    const first = await daemon.take<OperationInput<'ATTACH'>>('ATTACH');
    expect(first.payload).toMatchObject({ offset: 0 });
    expect(first.payload.finish).toBeUndefined();
    daemon.ack(first, { received: ATTACHMENT_CHUNK_BYTES });
    const last = await daemon.take<OperationInput<'ATTACH'>>('ATTACH');
    expect(last.payload).toMatchObject({
      upload: first.payload.upload,
      offset: ATTACHMENT_CHUNK_BYTES,
      finish: { name: 'log.bin', sha256 },
    });
    const pieces = [first, last].map(({ payload }) => Buffer.from(payload.data, 'base64'));
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
    daemon.ack(last, { received: content.length, attachment });
    expect(await attaching).toEqual(attachment);
  });

  test('are one piece if they are empty', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const attaching = relay.attach('empty', new Uint8Array(), 'text/plain');
    const only = await daemon.take<OperationInput<'ATTACH'>>('ATTACH');
    expect(only.payload).toMatchObject({ offset: 0, data: '', finish: { mediaType: 'text/plain' } });
    daemon.ack(only, { received: 0, attachment: { ...attachment, size: 0 } });
    await attaching;
  });

  test('are downloaded in pieces, and damaged ones are refused', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const serve = async (bytes: Uint8Array) => {
      for (const [offset, end] of [
        [0, ATTACHMENT_CHUNK_BYTES],
        [ATTACHMENT_CHUNK_BYTES, bytes.length],
      ] as const) {
        const request = await daemon.take('FETCH');
        expect(request.payload).toEqual({ attachment: 'att_1', offset });
        const data = Buffer.from(bytes.subarray(offset, end)).toString('base64');
        daemon.ack(request, { attachment, offset, data, done: end === bytes.length });
      }
    };
    const fetched = relay.fetchAttachment('att_1');
    await serve(content);
    expect(Buffer.from((await fetched).content).equals(content)).toBe(true);
    const damaged = relay.fetchAttachment('att_1');
    await Promise.all([serve(content.with(5, 0)), expect(damaged).rejects.toEqual(expect.any(RelayError))]);
  });
});

describe('closing', () => {
  test('can wait for open requests, for a limited time', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const [answered, unanswered] = [relay.status(), relay.status().catch(({ code }) => code)];
    const first = await daemon.take('STATUS');
    const closed = relay.close({ waitMs: 200 });
    daemon.ack(first, { agent: 'Alice' });
    expect(await answered).toMatchObject({ agent: 'Alice' });
    expect(await unanswered).toBe('Cancelled');
    await closed;
    expect(relay.state).toBe('closed');
  });
});
