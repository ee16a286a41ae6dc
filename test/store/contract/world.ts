import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { AuditRecord } from '../../../packages/relay/src/core/ports/store/audit.ts';
import type { Conversation } from '../../../packages/relay/src/core/ports/store/conversations.ts';
import type { InboxQuery } from '../../../packages/relay/src/core/ports/store/deliveries.ts';
import type { Appended, MessageDraft } from '../../../packages/relay/src/core/ports/store/messages.ts';
import type { Workspace } from '../../../packages/relay/src/core/ports/store/workspaces.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';

let counter = 0;
/** A name no other test of this file uses, so that all of them can share one database. */
export const unique = (word: string): string => `${word}-${++counter}`;

export const NOW = 1_800_000_000_000;

/** As many reactions as anybody likes. */
export const ANY_NUMBER = { ofAgent: 1000, ofAll: 1000 };

/** A separate workspace with agents, and shortcuts to send between them. */
export interface World {
  workspace: Workspace;
  agents: Agent[];
  dm(one: Agent, other: Agent): Promise<Conversation>;
  channel(): Promise<Conversation>;
  group(...agents: Agent[]): Promise<Conversation>;
  broadcast(): Promise<Conversation>;
  /** A channel with these members; `#general` has none. */
  newChannel(name: string, ...members: Agent[]): Promise<Conversation>;
  draft(
    sender: Agent,
    conversation: Conversation,
    recipients: Agent[],
    more?: Partial<MessageDraft>,
  ): MessageDraft;
  send(
    sender: Agent,
    conversation: Conversation,
    to: Agent[] | 'members' | 'workspace',
    more?: Partial<MessageDraft>,
  ): Promise<Appended>;
}

export const agentOf = (workspaceId: number, name = unique('agent')): Omit<Agent, 'id' | 'lastSeenAt'> => ({
  workspaceId,
  name,
  handle: undefined,
  type: 'agent',
  lead: false,
  grants: [],
  ephemeral: false,
  attention: undefined,
  registeredBy: undefined,
  heldBy: undefined,
  account: undefined,
  cli: undefined,
  task: undefined,
  parent: undefined,
  capabilities: [],
  mcpEnabled: false,
  tokenHash: unique('token'),
  createdAt: NOW,
});

export async function newWorld(store: Store, agentCount: number): Promise<World> {
  const workspace = defined(
    await store.createWorkspace({ name: unique('project'), root: undefined, createdAt: NOW }),
  );
  const agents: Agent[] = [];
  for (let i = 0; i < agentCount; i++) agents.push(defined(await store.createAgent(agentOf(workspace.id))));
  const conversation = (kind: Conversation['kind'], key: string) =>
    store.ensureConversation({ workspaceId: workspace.id, kind, key, createdAt: NOW });
  const between = (...members: Agent[]) =>
    members
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join(':');
  const draft: World['draft'] = (sender, { id }, recipients, more = {}) => ({
    id: unique('message'),
    clientId: unique('client'),
    workspaceId: workspace.id,
    conversationId: id,
    senderId: sender.id,
    unverified: false,
    audience: { kind: 'agents', ids: recipients.map((recipient) => recipient.id) },
    body: 'hello',
    thread: undefined,
    replyTo: undefined,
    kind: 'free',
    importance: 'normal',
    awaitsReply: false,
    createdAt: NOW,
    expiresAt: undefined,
    mentions: [],
    attachments: [],
    ...more,
  });
  return {
    workspace,
    agents,
    group: (...members) => conversation('group', between(...members)),
    broadcast: () => conversation('broadcast', '*'),
    async newChannel(name, ...members) {
      const made = {
        workspaceId: workspace.id,
        name,
        topic: undefined,
        createdBy: 'somebody',
        createdAt: NOW,
        account: undefined,
      };
      const { id } = defined(await store.createChannel(made));
      for (const member of members) await store.addMember(id, member.id, NOW);
      return { id, workspaceId: workspace.id, kind: 'channel', key: `#${name}` };
    },
    dm: (one, other) => conversation('dm', between(one, other)),
    channel: () => conversation('channel', `#${unique('channel')}`),
    draft,
    send: (sender, conversation, to, more = {}) => {
      const audience = typeof to === 'string' ? { audience: { kind: to } } : {};
      const recipients = typeof to === 'string' ? [] : to;
      return store.appendMessage(draft(sender, conversation, recipients, { ...audience, ...more }));
    },
  };
}

export const inboxOf = (agent: Agent, more: Partial<InboxQuery> = {}): InboxQuery => ({
  recipientId: agent.id,
  unreadOnly: true,
  after: 0,
  limit: 100,
  now: NOW,
  take: 'oldest',
  ...more,
});

export function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}

/** The audit log entry of a change to the workspace. */
export const recordOf = (workspaceId: number): AuditRecord => ({
  workspaceId,
  at: NOW,
  actor: 'owner',
  action: 'renamed',
  subject: 'it',
  detail: undefined,
});
