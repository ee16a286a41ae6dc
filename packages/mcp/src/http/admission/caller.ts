import type { IncomingMessage } from 'node:http';
import { agentNameIn } from '@agent-relay/platform/http';
import { plainAgentName, RelayError } from '@agent-relay/protocol';
import { ToolTable } from '../../framework/tool-table.ts';
import { chooseToolsets, GATEWAY_TOOLSET, type Toolset, toolsetNames } from '../../framework/toolset.ts';
import { type Offering, relayOffering } from '../../server/client-context.ts';
import { knownToolsets } from '../../toolsets/index.ts';
import type { McpHttpOptions } from '../options.ts';
import { type Access, accessId } from './access.ts';

/** The client of a request, and the toolsets it wants. */
export interface Caller {
  access: Access;
  name: string | undefined;
  /** Whether it is an agent that others can see, by its token or its name. */
  isNamed: boolean;
  /** The same for all requests with the same credential and name; a session belongs to one. */
  key: string;
  /** The account its sessions and streams count for. */
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

/** The same client without a visible agent; an agent token always is its agent. */
export const unseen = (caller: Caller): Caller =>
  caller.access.kind === 'agentToken'
    ? caller
    : { ...caller, name: undefined, isNamed: false, key: callerKey(caller.access, undefined) };

const callerKey = (access: Access, name: string | undefined): string =>
  `${accessId(access)} ${name?.toLowerCase() ?? ''}`;

/** The offerings of a door, one for each choice of toolsets, created on first use. */
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

  /** Whether a request asks for the servers of a gateway, alone or with toolsets of the relay. */
  asksForGateway(request: IncomingMessage): boolean {
    return this.#wanted(request).includes(GATEWAY_TOOLSET);
  }

  /** What a request asks for with `?tools=`, if its key allows it. */
  chosenBy(request: IncomingMessage, access: Access): Offering {
    return this.#make(this.#allowed(request, access));
  }

  /** What it asks for in addition to the gateway, if its key allows it. */
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
