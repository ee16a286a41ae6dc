import type { Toolset } from '../../framework/toolset.ts';
import { relayInbox } from './relay-inbox.ts';
import { relaySend } from './relay-send.ts';
import { relayRelease, relaySpawn } from './relay-spawn.ts';
import { relayStatus } from './relay-status.ts';
import { relayWho } from './relay-who.ts';
import { relayWording } from './wording.ts';

export const relayToolset: Toolset = {
  name: 'relay',
  tools: [relaySend, relayInbox, relayWho, relayStatus, relaySpawn, relayRelease],
  wording: relayWording,
};
