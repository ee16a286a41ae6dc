import type { Toolset } from '../../framework/toolset.ts';
import { listPending } from './list-pending.ts';
import { postMessage } from './post-message.ts';
import { readMessages } from './read-messages.ts';
import { rolesGuide, rolesWording } from './wording.ts';

/** Inboxes for a fixed set of roles. Each call declares its role and is trusted. */
export const rolesToolset = (roles: readonly string[]): Toolset => ({
  name: 'roles',
  tools: [postMessage(roles), readMessages(roles), listPending(roles)],
  wording: rolesWording,
  guide: rolesGuide(roles),
});
