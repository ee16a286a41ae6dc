import { isObject } from '../json/raw-json.ts';

/** An argument that is also sent as an HTTP header (`x-mcp-header` in the schema), so that proxies can see it. */
export interface ParamHeader {
  path: string[];
  header: string;
}

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES = ['string', 'integer', 'boolean'];

/** The headers that a tool's schema declares. Throws if a declaration is invalid. */
export function readParamHeaders(schema: unknown): ParamHeader[] {
  const found: ParamHeader[] = [];
  const visit = (node: unknown, path: string[], reachable: boolean): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, path, false);
    if (!isObject(node)) return;
    if (KEY in node) found.push(declared(node, path, reachable));
    for (const [keyword, inner] of Object.entries(node)) {
      if (keyword !== 'properties' || !isObject(inner)) visit(inner, path, false);
      else for (const [name, property] of Object.entries(inner)) visit(property, [...path, name], reachable);
    }
  };
  visit(schema, [], true);
  const names = found.map(({ header }) => header.toLowerCase());
  if (new Set(names).size < names.length) throw new Error(`'${KEY}' names one header twice`);
  return found;
}

function declared(node: Record<string, unknown>, path: string[], reachable: boolean): ParamHeader {
  const header = node[KEY];
  if (!reachable || path.length === 0) throw new Error(`'${KEY}' is allowed on properties only`);
  if (typeof header !== 'string' || !TOKEN.test(header))
    throw new Error(`'${KEY}' is not the name of a header`);
  if (!TYPES.includes(String(node.type)))
    throw new Error(`'${KEY}' is allowed on strings, integers and booleans only`);
  return { path, header };
}

/** The headers of one call. */
export function paramHeaders(declarations: ParamHeader[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declarations) {
    let value = args;
    for (const name of path) value = isObject(value) ? value[name] : undefined;
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)) {
      headers[`Mcp-Param-${header}`] = encoded(String(value));
    }
  }
  return headers;
}

/** Text that is not valid in a header is sent as base64. */
function encoded(value: string): string {
  const plain = /^[\x20-\x7e\t]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
