import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { identify } from '@agent-relay/platform/http';
import { sameSecret } from '@agent-relay/platform/secrets';
import { checkAgentName, isAgentToken, nameKey, RelayError } from '@agent-relay/protocol';
import type { ParticipantOptions } from '@agent-relay/sdk';

/** The header, or else the URL parameter, by which a client with access to several projects chooses one. */
const PROJECT_HEADER = 'x-relay-project';
export const PROJECT_PARAMETER = 'project';

/** The credential a request was accepted with; `project` is the chosen one, if any. */
export type Access =
  /** A program of the daemon's user on this machine. */
  | { kind: 'local'; project?: string }
  /** The key of the door itself. */
  | { kind: 'apiKey'; secret: string; project?: string }
  | { kind: 'workspaceKey'; secret: string }
  | { kind: 'agentToken'; secret: string };

/** How the door checks credentials. */
export interface Doorkeeper {
  /**
   * The key of the door, in addition to those of workspaces and agents. If it is set, every request needs one of them: a proxy
   * or tunnel of the user lets strangers in too.
   */
  apiKey?: string;
  /** Whether a workspace key or an agent token is valid. */
  isKeyValid(key: string): Promise<boolean>;
  /** The project with this name, in its own spelling; throws if there is none. Absent if there is no choice. */
  findProject?(name: string): string;
}

/** Decides whether a request is accepted, and for which project. */
export async function admit(request: IncomingMessage, keeper: Doorkeeper): Promise<Access | undefined> {
  const access = await recognise(request, keeper);
  const wanted = wantedProject(request);
  if (!access || wanted === undefined) return access;
  if (access.kind === 'workspaceKey' || access.kind === 'agentToken' || !keeper.findProject) {
    throw new RelayError(
      'InvalidRequest',
      'You cannot choose the project: your access is for one project only.',
      {
        next: `Remove the header ${PROJECT_HEADER} and ?${PROJECT_PARAMETER}=.`,
      },
    );
  }
  return { ...access, project: keeper.findProject(wanted) };
}

function wantedProject({ url = '/', headers }: IncomingMessage): string | undefined {
  const header = headers[PROJECT_HEADER];
  const parameter = new URL(url, 'http://localhost').searchParams.get(PROJECT_PARAMETER);
  return (typeof header === 'string' ? header : parameter) || undefined;
}

async function recognise(
  request: IncomingMessage,
  { apiKey, isKeyValid }: Doorkeeper,
): Promise<Access | undefined> {
  const isApiKey = (key: string) => apiKey !== undefined && sameSecret(key, apiKey);
  const credential = await identify(request, {
    needsKey: apiKey !== undefined,
    isKeyValid: (key) => isApiKey(key) || isKeyValid(key),
  });
  if (credential === undefined) return undefined;
  if (credential === 'own user') return { kind: 'local' };
  const { key: secret } = credential;
  if (isApiKey(secret)) return { kind: 'apiKey', secret };
  return { kind: isAgentToken(secret) ? 'agentToken' : 'workspaceKey', secret };
}

/** A stable id of a credential in a project that does not reveal the secret. */
export function accessId(access: Access): string {
  const secret =
    access.kind === 'local'
      ? ''
      : `-${createHash('sha256').update(access.secret).digest('hex').slice(0, 32)}`;
  const project = 'project' in access ? `@${access.project}` : '';
  return `${access.kind}${secret}${project}`;
}

/**
 * Adds the credentials for the relay. A name used with a key is bound to that key: its agent token is
 * derived from both, so no other key can use it.
 */
export function withCredentials(access: Access, profile: ParticipantOptions): ParticipantOptions {
  if (access.kind === 'local') return profile;
  if (access.kind === 'agentToken') return { ...profile, token: access.secret };
  const { name, ephemeral } = profile;
  if (name !== undefined) checkAgentName(name);
  return {
    ...profile,
    ...(access.kind === 'workspaceKey' ? { workspaceKey: access.secret } : {}),
    ...(name === undefined || ephemeral ? {} : { token: boundToken(access.secret, name) }),
  };
}

const boundToken = (secret: string, name: string): string =>
  `at_${createHmac('sha256', secret)
    .update(`agent ${nameKey(name)}`)
    .digest('base64url')}`;
