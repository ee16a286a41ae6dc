import type { IncomingMessage } from 'node:http';
import { agentNameIn } from '@agent-relay/platform/http';
import { plainAgentName, RelayError } from '@agent-relay/protocol';
import { ToolTable } from '../../framework/tool-table.ts';
import { chooseToolsets, GATEWAY_TOOLSET, type Toolset, toolsetNames } from '../../framework/toolset.ts';
import { type Offering, relayOffering } from '../../server/client-context.ts';
import { knownToolsets } from '../../toolsets/index.ts';
import type { McpHttpOptions } from '../options.ts';
import { type Access, accessId } from './access.ts';

/** Who makes a request, and what it wants to be served. */
export interface Caller {
  access: Access;
  name: string | undefined;
  /** Whether it is an agent that others can know, by its token or by the name it says. */
  isNamed: boolean;
  /** The same for all requests of the same holder under the same name; a session belongs to one. */
  key: string;
  /** Whom its sessions and streams count for. */
  account: string;
}

export function callerOf(
  request: IncomingMessage,
  access: Access,
  accountOf: (access: Access) => string = accessId,
): Caller {
  const said = agentNameIn(request);
  const name = said === undefined ? undefined : plainAgentName(said);
  const isNamed = name !== undefined || access.kind === 'agentToken';
  return { access, name, isNamed, key: callerKey(access, name), account: accountOf(access) };
}

/** The same holder, but nobody that others could see; an agent token always is its agent. */
export const unseen = (caller: Caller): Caller =>
  caller.access.kind === 'agentToken'
    ? caller
    : { ...caller, name: undefined, isNamed: false, key: callerKey(caller.access, undefined) };

const callerKey = (access: Access, name: string | undefined): string =>
  `${accessId(access)} ${name?.toLowerCase() ?? ''}`;

/** The offerings of a door, one for each choice of toolsets, made when first chosen. */
export class Offerings {
  readonly #options: McpHttpOptions;
  readonly #known: ReadonlyMap<string, Toolset>;
  readonly #offer: (tools: ToolTable) => Offering;
  readonly #made = new Map<string, Offering>();

  constructor(options: McpHttpOptions, offer = relayOffering) {
    this.#options = options;
    this.#offer = offer;
    this.#known = knownToolsets(options.roles ?? []);
  }

  /** Whether a request asks for the servers of a gateway, alone or beside toolsets of the relay. */
  asksForGateway(request: IncomingMessage): boolean {
    return this.#wanted(request).includes(GATEWAY_TOOLSET);
  }

  /** What a request asks for with `?tools=`, as far as its key may have it. */
  chosenBy(request: IncomingMessage, access: Access): Offering {
    return this.#make(this.#allowed(request, access));
  }

  /** What it asks for beside the gateway, which its key must allow as well. */
  chosenBesideGateway(request: IncomingMessage, access: Access): Offering | undefined {
    const names = this.#allowed(request, access).filter((name) => name !== GATEWAY_TOOLSET);
    return names.length === 0 ? undefined : this.#make(names);
  }

  #wanted(request: IncomingMessage): readonly string[] {
    const { defaultTools = ['network'] } = this.#options;
    const wanted = new URL(request.url ?? '/', 'http://localhost').searchParams.get('tools');
    return wanted === null ? defaultTools : toolsetNames(wanted);
  }

  #allowed(request: IncomingMessage, access: Access): string[] {
    const names = this.#wanted(request);
    const allowed = this.#options.toolsetsFor?.(access);
    const refused = allowed && names.find((name) => !allowed.includes(name));
    if (refused !== undefined) {
      throw new RelayError('Forbidden', `The key does not allow the toolset "${refused}".`, {
        next: `Choose from: ${allowed?.join(', ')}.`,
      });
    }
    return [...new Set(names)];
  }

  #make(names: string[]): Offering {
    const key = names.join(',');
    const made = this.#made.get(key);
    if (made) return made;
    const offering = this.#offer(new ToolTable(chooseToolsets(names, this.#known)));
    this.#made.set(key, offering);
    return offering;
  }
}
