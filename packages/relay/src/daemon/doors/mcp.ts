import { type GatewayVisit, type ListeningMcp, listenForMcp } from '@agent-relay/mcp';
import { workspaceKeyId } from '@agent-relay/platform/secrets';
import { isAgentToken, isRelayError } from '@agent-relay/protocol';
import { connect, type OpenWire, type ParticipantOptions } from '@agent-relay/sdk';
import { localTokenSource } from '@agent-relay/sdk/node';
import {
  type Account,
  accountOf as accountOfAgent,
  GUESTS,
  keyAccount,
  LOCAL,
} from '../../core/governance/accounts.ts';
import type { Workspace } from '../../core/ports/store/workspaces.ts';
import type { Principal } from '../../core/principal.ts';
import type { Relay } from '../../core/relay.ts';
import type { AcceptConnection } from '../../transport/connections/connection.ts';
import { connectInMemory } from '../../transport/connections/memory.ts';
import type { Sessions } from '../../transport/sessions.ts';
import { VERSION } from '../../version.ts';
import type { Settings } from '../settings/settings.ts';
import { readTls } from '../settings/tls.ts';
import type { Pool } from './pool.ts';

const client = { name: 'agent-relay-mcp', version: VERSION };

/**
 * Serves MCP over HTTP. Each client is an ordinary client of the SDK, with the rights of its credential:
 * programs of the user, and holders of the API key as guests, join the workspace they choose, or else the one
 * the daemon was started for.
 */
export async function openMcpDoor({
  settings: { mcp, limits, dataDirectory },
  choosePort,
  relay,
  sessions,
  workspace,
  pool,
  onError,
}: {
  settings: Settings;
  choosePort: string;
  relay: Relay;
  sessions: Sessions;
  workspace: Workspace;
  pool: Pool | undefined;
  onError: (error: unknown) => void;
}): Promise<ListeningMcp> {
  const remote = inMemory(sessions.acceptAt({ kind: 'remote' }));
  const { apiKey, tlsCertificate, tlsKey, servers, manageServers, ...door } = mcp;
  const enteredBy = ({ project }: { project?: string }) =>
    project === undefined ? workspace : relay.workspaces.get(project);
  return listenForMcp({
    ...door,
    choosePort,
    headersTimeoutMs: limits.headersTimeoutMs,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tlsCertificate && tlsKey ? { tls: await readTls(tlsCertificate, tlsKey) } : {}),
    ...(pool ? { gateway: pool.door(({ access }) => principalOf(relay, access, enteredBy)) } : {}),
    isKeyValid: (key) =>
      isValid(isAgentToken(key) ? relay.agents.byToken(key) : relay.workspaces.authenticate(key)),
    accountOf: (access) => accountOf(relay, access),
    findProject: (name) => relay.workspaces.get(name).name,
    connect: async (profile, access) => {
      if (access.kind === 'workspaceKey' || access.kind === 'agentToken')
        return connect({ ...profile, client, open: remote });
      const entered = enteredBy(access);
      const isUser = access.kind === 'local';
      const open = inMemory(sessions.acceptAt({ kind: isUser ? 'local' : 'guest', workspace: entered }));
      const token = isUser ? tokenOf(profile, entered.name, dataDirectory) : {};
      return connect({ ...profile, ...token, client, open });
    },
    onerror: onError,
  });
}

/** An agent of a key counts for the key, even if it uses its own token. */
function accountOf(relay: Relay, access: GatewayVisit['access']): Account {
  if (access.kind === 'workspaceKey') return keyAccount(workspaceKeyId(access.secret));
  if (access.kind !== 'agentToken') return access.kind === 'local' ? LOCAL : GUESTS;
  const agents = relay.workspaces.list().map((workspace) => relay.agents.holder(workspace, access.secret));
  const agent = agents.find((found) => found !== undefined);
  return agent ? accountOfAgent(agent) : GUESTS;
}

/** The client's name in the audit log. A name sent with a key, or by a program of the user, proves nothing. */
async function principalOf(
  relay: Relay,
  access: GatewayVisit['access'],
  enteredBy: (access: { project?: string }) => Workspace,
): Promise<Principal> {
  const local = access.kind === 'local';
  const anybody = {
    agent: undefined,
    unverified: false,
    local,
    owner: local,
    keyId: undefined,
    pageSessionId: undefined,
  };
  if (access.kind === 'workspaceKey')
    return { ...anybody, ...(await relay.workspaces.authenticate(access.secret)) };
  if (access.kind !== 'agentToken') return { ...anybody, workspace: enteredBy(access) };
  const agent = await relay.agents.byToken(access.secret);
  return { ...anybody, agent, workspace: relay.workspaces.byId(agent.workspaceId) };
}

const inMemory =
  (accept: AcceptConnection): OpenWire =>
  async (events) =>
    connectInMemory(accept, events);

/** The token of a user's agent is stored where all tools of the user find it. A temporary name needs none. */
const tokenOf = (
  { name, ephemeral }: ParticipantOptions,
  project: string,
  dataDirectory: string,
): Pick<ParticipantOptions, 'token'> =>
  name === undefined || ephemeral
    ? {}
    : { token: localTokenSource(async () => project, name, { RELAY_DATA_DIR: dataDirectory }) };

async function isValid(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (isRelayError(error, 'Unauthorized')) return false;
    throw error;
  }
}
