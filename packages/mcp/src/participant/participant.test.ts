import { connect } from '@agent-relay/sdk/node';
import { expect, it } from 'vitest';
import { AGENT, ScriptedPeer } from '../../../../test/kit/scripted-peer.ts';
import { Participant } from './participant.ts';

it('asks for its mail again when it may have missed some', async () => {
  await using peer = await ScriptedPeer.start();
  const participant = new Participant(
    (profile) => connect({ ...profile, socketPath: peer.socketPath, env: {} }),
    AGENT,
  );
  const relay = participant.relay();
  const daemon = await peer.welcome({ unread: 0 });
  daemon.ack(await daemon.take('WATCH'));
  await relay;
  expect(await participant.countUnread()).toBe(0);
  const told = new Promise<void>((resolve) => participant.events.once('inbox', resolve));
  daemon.send('EVENT', { type: 'events.missed' });
  await told;
  const unread = participant.countUnread();
  daemon.ack(await daemon.take('INBOX'), { messages: [], unread: 1 });
  expect(await unread).toBe(1);
  await participant.close();
});

it('asks for its mail again when a path that was to deliver it is gone', async () => {
  await using peer = await ScriptedPeer.start();
  const participant = new Participant(
    (profile) => connect({ ...profile, socketPath: peer.socketPath, env: {} }),
    AGENT,
  );
  const relay = participant.relay();
  const daemon = await peer.welcome({ unread: 0 });
  daemon.ack(await daemon.take('WATCH'));
  await relay;
  const told = new Promise<void>((resolve) => participant.events.once('inbox', resolve));
  daemon.send('EVENT', { type: 'path.changed', agent: 'Bob', path: 'pty', state: 'away' });
  expect(await participant.countUnread()).toBe(0);
  daemon.send('EVENT', { type: 'path.changed', agent: 'Alice', path: 'pty', state: 'away' });
  await told;
  await participant.close();
});
