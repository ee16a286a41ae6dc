import type { Lists } from '../../catalog/catalog.ts';
import { isObject, objectFrom, toJson } from '../../json/raw-json.ts';
import type { BackendRpc } from './backend-rpc.ts';
import { envelope, type Negotiated } from './negotiate.ts';

const MAX_ITEMS = 2000;
const MAX_MEGABYTES = 8;
const MAX_PAGES = 100;

const METHODS: Record<keyof Lists, { method: string; field: string; capability: string }> = {
  tools: { method: 'tools/list', field: 'tools', capability: 'tools' },
  prompts: { method: 'prompts/list', field: 'prompts', capability: 'prompts' },
  resources: { method: 'resources/list', field: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
};

export interface FetchedList {
  items: unknown[];
  /** Set if the list is flawed; `items` holds the usable part. */
  problem?: string;
  /** Whether reading it again may help. */
  mayPass?: boolean;
}

/** Reads one list page by page, within limits. */
export async function fetchList(
  rpc: BackendRpc,
  negotiated: Negotiated,
  list: keyof Lists,
  timeoutMs: number,
): Promise<FetchedList> {
  const { method, field, capability } = METHODS[list];
  // Old servers forget to announce tools. Other lists are requested only if announced.
  if (list !== 'tools' && negotiated.capabilities[capability] === undefined) return { items: [] };
  const items: unknown[] = [];
  let bytes = 0;
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = new Map<string, Buffer>();
    if (cursor !== undefined) params.set('cursor', toJson(cursor));
    if (negotiated.era === 'modern') params.set('_meta', toJson(envelope({})));
    const received = await rpc.request(method, params, { timeoutMs });
    bytes += received.length;
    if (bytes > MAX_MEGABYTES * 1024 * 1024)
      return { items, problem: `More than ${MAX_MEGABYTES} MB of ${list}: the rest is left out` };
    const answer = objectFrom(received);
    const part = answer?.[field];
    if (!isObject(answer) || !Array.isArray(part)) return { items, problem: 'Invalid response structure' };
    items.push(...part.slice(0, MAX_ITEMS - items.length));
    if (items.length >= MAX_ITEMS)
      return { items, problem: `More than ${MAX_ITEMS} ${list}: the rest is left out` };
    cursor = answer.nextCursor;
    if (cursor === undefined || cursor === null) return { items };
  }
  return { items, problem: `More than ${MAX_PAGES} pages of ${list}: the rest is left out` };
}
