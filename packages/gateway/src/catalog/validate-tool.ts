import { isObject } from '../json/raw-json.ts';
import { readParamHeaders } from './param-headers.ts';

/** A tool, prompt, resource or template as the backend described it, with all its fields. */
export type Definition = Record<string, unknown>;

const MAX_SCHEMA_DEPTH = 64;
const MAX_DEFINITION_BYTES = 256 * 1024;

/** Why a tool cannot be offered; undefined if it can. An invalid tool does not affect others of its backend. */
export function toolProblem(tool: unknown): string | undefined {
  if (!isObject(tool)) return 'Not an object';
  for (const field of ['name', 'description', 'inputSchema']) {
    if (tool[field] === undefined || tool[field] === null) return `Missing '${field}' field`;
  }
  if (typeof tool.name !== 'string' || tool.name === '') return "'name' must be a string";
  if (typeof tool.description !== 'string') return "'description' must be a string";
  return schemaProblem(tool.inputSchema) ?? sizeProblem(tool) ?? headerProblem(tool.inputSchema);
}

function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return "'inputSchema' must be an object";
  if (schema.type !== 'object') return "'inputSchema' must have type 'object'";
  const { properties, required } = schema;
  if (properties !== undefined && !isObject(properties)) return "'properties' must be an object";
  if (required === undefined) return undefined;
  if (!Array.isArray(required) || required.some((name) => typeof name !== 'string')) {
    return "'required' must be a list of strings";
  }
  const unknown = required.find((name: string) => !Object.hasOwn(properties ?? {}, name));
  return unknown === undefined ? undefined : `Required field '${unknown}' is not in 'properties'`;
}

function sizeProblem(tool: Definition): string | undefined {
  if (depthOf(tool) > MAX_SCHEMA_DEPTH) return `Nested deeper than ${MAX_SCHEMA_DEPTH} levels`;
  if (JSON.stringify(tool).length > MAX_DEFINITION_BYTES) return `Larger than ${MAX_DEFINITION_BYTES} bytes`;
  return undefined;
}

function headerProblem(schema: unknown): string | undefined {
  try {
    readParamHeaders(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Iterative, since the value may be deep enough to overflow the stack. */
function depthOf(value: unknown): number {
  let deepest = 0;
  const waiting: Array<[unknown, number]> = [[value, 1]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [part, depth] = next;
    if (depth > MAX_SCHEMA_DEPTH) return depth;
    deepest = Math.max(deepest, depth);
    if (typeof part === 'object' && part !== null) {
      for (const inner of Object.values(part)) waiting.push([inner, depth + 1]);
    }
  }
  return deepest;
}
