import { RelayError } from '@agent-relay/protocol';
import { describe, expect, test } from 'vitest';
import { messageOf, type PeerConnection, play } from '../../../../test/kit/scripted-peer.ts';

const happened = (daemon: PeerConnection, ...seqs: number[]) => {
  for (const seq of seqs) daemon.send('EVENT', { type: 'message.created', message: messageOf(seq) });
};

describe('tail', () => {
  test('follows the project across reconnects without loss or repetition', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const tail = relay.tail();
    const first = tail.next();
    const request = await daemon.take('TAIL');
    expect(request.payload).toEqual({});
    daemon.ack(request, { after: 10 });
    happened(daemon, 11, 12);
    expect((await first).value?.seq).toBe(11);
    expect((await tail.next()).value?.seq).toBe(12);
    daemon.destroy();
    const again = await peer.welcome();
    const resumed = await again.take('TAIL');
    expect(resumed.payload).toEqual({ after: 12 });
    again.ack(resumed, { after: 12 });
    happened(again, 12, 13);
    expect((await tail.next()).value?.seq).toBe(13);
  });

  test('that saw nothing yet continues from its start', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const first = relay.tail().next();
    daemon.ack(await daemon.take('TAIL'), { after: 10 });
    const known = relay.status();
    daemon.ack(await daemon.take('STATUS'));
    await known;
    daemon.destroy();
    const again = await peer.welcome();
    const resumed = await again.take('TAIL');
    expect(resumed.payload).toEqual({ after: 10 });
    again.ack(resumed, { after: 10 });
    happened(again, 11);
    expect((await first).value?.seq).toBe(11);
  });

  test('continues with the first message of a new database', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const tail = relay.tail({ after: 10 });
    const first = tail.next();
    daemon.ack(await daemon.take('TAIL'), { after: 10 });
    happened(daemon, 11);
    await first;
    daemon.destroy();
    const again = await peer.welcome();
    again.ack(await again.take('TAIL'), { after: 2 });
    happened(again, 3);
    expect((await tail.next()).value?.seq).toBe(3);
  });

  test('starts after the number it is given', async () => {
    await using scene = await play();
    const first = scene.relay.tail({ after: 4 }).next();
    const request = await scene.daemon.take('TAIL');
    expect(request.payload).toEqual({ after: 4 });
    scene.daemon.ack(request, { after: 4 });
    happened(scene.daemon, 5);
    expect((await first).value?.seq).toBe(5);
  });

  test('of a slow reader leaves what does not fit with the daemon, and gets it later', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const tail = relay.tail({ after: 0 });
    const first = tail.next();
    daemon.ack(await daemon.take('TAIL'), { after: 0 });
    happened(daemon, ...Array.from({ length: 1500 }, (_, index) => index + 1));
    await first;
    const known = relay.status();
    daemon.ack(await daemon.take('STATUS'));
    await known;
    const read = [1];
    let next = tail.next();
    let resumed: { after?: number } | undefined;
    void daemon.take<{ after: number }>('TAIL').then((request) => {
      resumed = request.payload;
      happened(daemon, 1600);
      daemon.ack(request, { after: request.payload.after });
      happened(
        daemon,
        ...Array.from({ length: 1600 - request.payload.after }, (_, i) => request.payload.after + 1 + i),
      );
    });
    while (read.length < 1600) {
      read.push((await next).value?.seq ?? 0);
      next = tail.next();
    }
    expect(resumed?.after).toBeLessThan(1500);
    expect(read).toEqual(Array.from({ length: 1600 }, (_, index) => index + 1));
  });

  test('throws the reason if it is refused, or if there already is one', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const refused = relay.tail().next();
    daemon.send('ERROR', new RelayError('Forbidden').toPayload((await daemon.take('TAIL')).id));
    await expect(refused).rejects.toMatchObject({ code: 'Forbidden' });
    const running = relay.tail();
    const next = running.next();
    await expect(relay.tail().next()).rejects.toMatchObject({ code: 'InvalidRequest' });
    await relay.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe('watch', () => {
  test('reports who connects and disconnects, also after a reconnect', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const seen: string[] = [];
    relay.on('agent.online', ({ agent }) => seen.push(`+${agent}`));
    relay.on('agent.offline', ({ agent }) => seen.push(`-${agent}`));
    const watching = relay.watch();
    daemon.ack(await daemon.take('WATCH'));
    await watching;
    daemon.send('EVENT', { type: 'agent.online', agent: 'Bob' });
    daemon.send('EVENT', { type: 'agent.offline', agent: 'Bob' });
    const changed = new Promise<void>((resolve) => relay.once('events.missed', () => resolve()));
    daemon.send('EVENT', { type: 'events.missed' });
    await changed;
    expect(seen).toEqual(['+Bob', '-Bob']);
    const askAgain = new Promise<void>((resolve) => relay.once('events.missed', () => resolve()));
    daemon.destroy();
    const again = await peer.welcome();
    await again.take('WATCH');
    await askAgain;
  });
});
