import { negotiate, PROTOCOL, parsePayload, RelayError, type WelcomePayload } from '@agent-relay/protocol';
import { helloPayload } from '@agent-relay/protocol/schemas';
import { resumePoint } from '../core/delivery/receiving.ts';
import { type Account, GUESTS, keyAccount, LOCAL } from '../core/governance/accounts.ts';
import type { Agent } from '../core/ports/store/agents.ts';
import type { Workspace } from '../core/ports/store/workspaces.ts';
import type { Principal } from '../core/principal.ts';
import { countUnread } from '../core/reading/reading.ts';
import type { Relay } from '../core/relay.ts';

/**
 * Where a connection was accepted: on the local socket of a workspace, which only its user can open; by a door that
 * admits guests to a workspace; or by one that requires a key.
 */
export type Entrance =
  | { kind: 'local'; workspace: Workspace }
  | { kind: 'guest'; workspace: Workspace }
  | { kind: 'remote' };

export interface Introduced {
  principal: Principal;
  protocol: number;
  issuedToken: string | undefined;
  /** How the agent's messages reach this connection. */
  receiving: Pick<Hello, 'paths' | 'notify' | 'receiver' | 'hooks'>;
  resumeAfter: number;
  /** Throws if the key, token or name has become invalid during the handshake. */
  confirm(): void;
  /** The session the client claims its name for. */
  session: string | undefined;
  /** The session it claims to be, shown to those it calls. */
  clientSession: string | undefined;
  welcome: Pick<
    WelcomePayload,
    'agent' | 'agentToken' | 'unread' | 'resumeAfter' | 'protocol' | 'project' | 'advice'
  >;
}

/** Establishes the identity of a connection, from its HELLO and its entrance. */
export async function introduce(relay: Relay, entrance: Entrance, payload: unknown): Promise<Introduced> {
  const hello = parsePayload(helloPayload, payload, 'HELLO');
  const protocol = negotiate(hello.protocol);
  if (protocol === undefined) {
    throw new RelayError(
      'VersionMismatch',
      `The client speaks protocol ${hello.protocol.min} to ${hello.protocol.max}, this daemon ${PROTOCOL.min} to ${PROTOCOL.max}.`,
    );
  }
  const admitted = await admit(relay, entrance, hello);
  const { agent, issued } = await identify(relay, entrance, admitted, hello);
  const isPage = admitted.pageSessionId !== undefined;
  const resumeAfter = await resumePoint(relay, admitted.workspace.id, hello.resumeAfter);
  const principal: Principal = {
    workspace: admitted.workspace,
    agent,
    unverified: hello.unverified ?? false,
    local: isUsersOwn(entrance, admitted),
    owner: isPage || (isUsersOwn(entrance, admitted) && agent === undefined),
    keyId: admitted.keyId,
    pageSessionId: admitted.pageSessionId,
  };
  return {
    principal,
    protocol,
    issuedToken: issued,
    receiving: hello,
    resumeAfter,
    session: agent && hello.claim?.session,
    clientSession: hello.session ?? hello.claim?.session,
    confirm: () => {
      const isRevoked = admitted.keyId !== undefined && relay.workspaces.isRevoked(admitted.keyId);
      const hasEnded =
        admitted.pageSessionId !== undefined && relay.pageSessions.hasEnded(admitted.pageSessionId);
      const isStill = isPage
        ? agent && relay.agents.byId(agent.id)
        : !agent || relay.agents.holdsToken(agent, hello.token ?? issued ?? '');
      if (isRevoked || hasEnded || !isStill) throw new RelayError('Unauthorized');
      if (agent) relay.agents.checkNotHeld(agent, hello);
    },
    welcome: {
      protocol,
      project: principal.workspace.name,
      ...(issued === undefined ? {} : { agentToken: issued }),
      ...(hello.resumeAfter === undefined ? {} : { resumeAfter }),
      ...(agent === undefined
        ? {}
        : {
            agent: {
              name: agent.name,
              ...(agent.handle === undefined ? {} : { handle: agent.handle }),
              type: agent.type,
              lead: agent.lead,
            },
            ...adviceOn(agent, hello),
            unread: await countUnread(relay, agent.id),
          }),
    },
  };
}

type Hello = ReturnType<typeof helloPayload.parse>;
interface Admitted {
  workspace: Workspace;
  keyId?: string;
  tokenName?: string;
  pageSessionId?: string;
}

/** The workspace a connection may enter: its key's, its socket's, its page session's, or that of the agent whose token it holds. */
async function admit(relay: Relay, entrance: Entrance, hello: Hello): Promise<Admitted> {
  if (hello.page !== undefined) return admitPage(relay, entrance, hello.page);
  if (entrance.kind !== 'guest' && hello.workspaceKey !== undefined) {
    return await relay.workspaces.authenticate(hello.workspaceKey);
  }
  if (entrance.kind !== 'remote' && (hello.name !== undefined || hello.token === undefined)) {
    return { workspace: entrance.workspace };
  }
  if (hello.token === undefined)
    throw new RelayError('Unauthorized', 'A workspace key or an agent token is required.');
  const agent = await relay.agents.byToken(hello.token);
  const entered = entrance.kind === 'remote' ? relay.workspaces.list() : [entrance.workspace];
  const workspace = entered.find(({ id }) => id === agent.workspaceId);
  if (!workspace) throw new RelayError('Unauthorized', 'The agent token is not valid.');
  return { workspace, tokenName: agent.name };
}

/** The owner may enter every project. */
async function admitPage(
  relay: Relay,
  entrance: Entrance,
  { session, project }: NonNullable<Hello['page']>,
): Promise<Admitted> {
  if (entrance.kind !== 'remote') throw new RelayError('Unauthorized', 'Pages connect over the WebSocket.');
  const { workspace, pageSessionId } = await relay.pageSessions.authenticate(session);
  return { workspace: project === undefined ? workspace : relay.workspaces.get(project), pageSessionId };
}

/** A connection with a key on the local socket has the rights of the key, not of the user. */
const isUsersOwn = (entrance: Entrance, { keyId }: Admitted): boolean =>
  entrance.kind === 'local' && keyId === undefined;

/** The account that new names count for. */
const accountAt = (entrance: Entrance, { keyId }: Admitted): Account => {
  if (keyId !== undefined) return keyAccount(keyId);
  return entrance.kind === 'local' ? LOCAL : GUESTS;
};

async function identify(relay: Relay, entrance: Entrance, admitted: Admitted, hello: Hello) {
  const { workspace, tokenName, keyId, pageSessionId } = admitted;
  if (pageSessionId !== undefined) return { agent: await relay.agents.person(workspace), issued: undefined };
  const name = (hello.returning ? tokenName : undefined) ?? hello.name ?? tokenName;
  if (name === undefined) return { agent: undefined, issued: undefined };
  // A token alone only admits its agent: it cannot register other names.
  if (tokenName !== undefined && relay.agents.find(workspace, name)?.name !== tokenName) {
    throw new RelayError('Unauthorized', `The agent token does not belong to "${name}".`);
  }
  const { agent, issued } = await relay.agents.identify(workspace, name, {
    ...hello,
    byOwner: isUsersOwn(entrance, admitted),
    account: accountAt(entrance, admitted),
    heldBy: holderOf(hello, keyId),
  });
  return { agent, issued };
}

/** The client's name in the audit log. */
function holderOf({ cli, client }: Hello, keyId: string | undefined): string {
  const program = cli ?? client?.name ?? 'unnamed client';
  return keyId === undefined ? program : `${program} (key ${keyId})`;
}

/** Advice for a client whose claimed type or lead was not applied. */
function adviceOn(
  { name, type, lead }: Agent,
  { type: claimedType, lead: claimsLead }: Hello,
): { advice?: string } {
  const granted = 'The owner of the daemon can change that with:';
  if (claimedType !== undefined && claimedType !== type)
    return {
      advice: `${name} is registered as ${type}. ${granted} agent-relay agent set ${name} --type ${claimedType}`,
    };
  if (claimsLead && !lead)
    return { advice: `${name} is not the lead. ${granted} agent-relay agent set ${name} --lead` };
  return {};
}
