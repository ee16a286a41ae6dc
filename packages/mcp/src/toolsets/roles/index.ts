import type { Toolset } from '../../framework/toolset.ts';
import { listPending } from './list-pending.ts';
import { postMessage } from './post-message.ts';
import { readMessages } from './read-messages.ts';

/** Inboxes for a fixed cast of roles. Each call says whom it speaks for, and is believed. */
export const rolesToolset = (roles: readonly string[]): Toolset => ({
  name: 'roles',
  tools: [postMessage(roles), readMessages(roles), listPending(roles)],
  wording: {
    send: (to, message) => `post_message(from=YOUR_ROLE, to="${to}", kind="free", body="${message}")`,
    agents: 'the resource relay://agents',
    inbox: 'read_messages',
  },
});
