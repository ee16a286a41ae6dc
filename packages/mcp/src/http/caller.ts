import type { IncomingMessage } from 'node:http';
import { RelayError } from '@agent-relay/protocol';
import { ToolTable } from '../framework/tool-table.ts';
import { chooseToolsets, type Toolset, toolsetNames } from '../framework/toolset.ts';
import { type Catalogue, relayCatalogue } from '../server/desk.ts';
import { knownToolsets } from '../toolsets/index.ts';
import { type Access, AGENT_HEADER, accessId } from './access.ts';
import type { McpHttpOptions } from './options.ts';

/** Who makes a request, and what it wants to be served. */
export interface Caller {
  access: Access;
  name: string | undefined;
  /** The same for all requests of the same holder under the same name; a session belongs to one. */
  key: string;
}

export function callerOf(request: IncomingMessage, access: Access): Caller {
  const header = request.headers[AGENT_HEADER];
  const name = typeof header === 'string' && header !== '' ? header : undefined;
  return { access, name, key: `${accessId(access)} ${name?.toLowerCase() ?? ''}` };
}

/** The catalogues of a door, one for each choice of toolsets, made when first chosen. */
export class Catalogues {
  readonly #options: McpHttpOptions;
  readonly #known: ReadonlyMap<string, Toolset>;
  readonly #made = new Map<string, Catalogue>();

  constructor(options: McpHttpOptions) {
    this.#options = options;
    this.#known = knownToolsets(options.roles ?? []);
  }

  /** What a request asks for with `?tools=`, as far as its key may have it. */
  chosenBy(request: IncomingMessage, access: Access): Catalogue {
    const { defaultTools = ['network'], toolsetsFor } = this.#options;
    const wanted = new URL(request.url ?? '/', 'http://localhost').searchParams.get('tools');
    const names = wanted === null ? defaultTools : toolsetNames(wanted);
    const allowed = toolsetsFor?.(access);
    const refused = allowed && names.find((name) => !allowed.includes(name));
    if (refused !== undefined) {
      throw new RelayError('Forbidden', `The key does not allow the toolset "${refused}".`, {
        next: `Choose from: ${allowed?.join(', ')}.`,
      });
    }
    return this.#make([...new Set(names)]);
  }

  #make(names: string[]): Catalogue {
    const key = names.join(',');
    const made = this.#made.get(key);
    if (made) return made;
    const { extendCatalogue = (catalogue) => catalogue } = this.#options;
    const table = new ToolTable(chooseToolsets(names, this.#known));
    const catalogue = extendCatalogue(relayCatalogue(table));
    this.#made.set(key, catalogue);
    return catalogue;
  }
}
