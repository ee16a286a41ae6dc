import { connect } from '@agent-relay/sdk/node';
import { expect, it } from 'vitest';
import { AGENT, ScriptedPeer } from '../../../../test/kit/scripted-peer.ts';
import { Participant } from './participant.ts';

/** A participant without messages, and the daemon it is connected to. */
async function connected() {
  const peer = await ScriptedPeer.start();
  const participant = new Participant(
    (profile) => connect({ ...profile, socketPath: peer.socketPath, env: {} }),
    AGENT,
  );
  const relay = participant.relay();
  const daemon = await peer.welcome({ unread: 0 });
  daemon.ack(await daemon.take('WATCH'));
  await relay;
  return {
    peer,
    participant,
    daemon,
    [Symbol.asyncDispose]: async () => {
      await participant.close();
      await peer[Symbol.asyncDispose]();
    },
  };
}

const toldOfMail = ({ events }: Participant) => new Promise<void>((resolve) => events.once('inbox', resolve));

it('asks for its mail again when it may have missed some', async () => {
  await using scene = await connected();
  const { participant, daemon } = scene;
  expect(await participant.countUnread()).toBe(0);
  const told = toldOfMail(participant);
  daemon.send('EVENT', { type: 'events.missed' });
  await told;
  const unread = participant.countUnread();
  daemon.ack(await daemon.take('INBOX'), { messages: [], unread: 1 });
  expect(await unread).toBe(1);
});

it('asks for its mail again when the path that should deliver it is lost', async () => {
  await using scene = await connected();
  const { participant, daemon } = scene;
  const told = toldOfMail(participant);
  daemon.send('EVENT', { type: 'path.changed', agent: 'Bob', path: 'pty', state: 'away' });
  expect(await participant.countUnread()).toBe(0);
  daemon.send('EVENT', { type: 'path.changed', agent: 'Alice', path: 'pty', state: 'away' });
  await told;
});

it('lets calls that began under its old name end, also those that ask again, when it takes another one', async () => {
  await using scene = await connected();
  const { peer, participant, daemon } = scene;
  const relay = await participant.relay();
  const twice = relay.status().then(() => relay.status());
  const first = await daemon.take('STATUS');
  const registered = participant.register({ ...AGENT, name: 'Planner' });
  const next = await peer.welcome({ unread: 0 });
  next.ack(await next.take('WATCH'));
  expect((await participant.relay()).name).toBe('Planner');
  daemon.ack(first, { agent: 'Alice' });
  daemon.ack(await daemon.take('STATUS'), { agent: 'Alice' });
  expect(await twice).toMatchObject({ agent: 'Alice' });
  await daemon.closed;
  expect((await registered).name).toBe('Planner');
});
