import { nearNames, RelayError } from '@agent-relay/protocol';
import { BackendError, CallAborted } from '../../backend/failures.ts';
import { type Era, IDENTITY, LEGACY_VERSIONS, MODERN_VERSION } from '../../backend/rpc/negotiate.ts';
import { type Catalog, type Route, resourceRoute } from '../../catalog/catalog.ts';
import { paramHeaders } from '../../catalog/param-headers.ts';
import {
  isObject,
  type JsonMembers,
  objectFrom,
  scanObject,
  stringFrom,
  toJson,
} from '../../json/raw-json.ts';
import { callManagementTool, required } from '../tools/management.ts';
import { findTools, searchTools } from '../tools/tool-search.ts';
import type { Call } from './call.ts';
import type { FrontContext } from './context.ts';
import type { ForwardOptions } from './forward.ts';
import { isLogLevel } from './log-levels.ts';
import {
  failedToolResult,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  ProtocolError,
  toRelayError,
} from './messages.ts';

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
};
const INSTRUCTIONS =
  'This gateway combines several MCP servers. relay_get_status shows which are connected; relay_reconnect_server reconnects one.';
const EMPTY = Buffer.from('{}');

async function instructionsFor(session: FrontContext, call: Call): Promise<string> {
  const own = await session.instructions(call);
  return own === undefined ? INSTRUCTIONS : `${own} ${INSTRUCTIONS}`;
}

type Method = (session: FrontContext, call: Call) => Promise<Buffer>;

const METHODS: Record<string, Method> = {
  initialize: async (session, call) => {
    const asked = stringFrom(call.params.get('protocolVersion')) ?? '';
    session.initialized({
      capabilities: objectFrom(call.params.get('capabilities')) ?? {},
      info: objectFrom(call.params.get('clientInfo')),
    });
    return toJson({
      protocolVersion: LEGACY_VERSIONS.includes(asked) ? asked : LEGACY_VERSIONS[0],
      capabilities: CAPABILITIES,
      serverInfo: IDENTITY,
      instructions: await instructionsFor(session, call),
    });
  },
  'server/discover': async (session, call) =>
    toJson({
      supportedVersions: [MODERN_VERSION],
      capabilities: CAPABILITIES,
      instructions: await instructionsFor(session, call),
    }),
  ping: async () => EMPTY,
  'logging/setLevel': async (session, call) => {
    const level = stringFrom(call.params.get('level')) ?? '';
    if (!isLogLevel(level)) throw new ProtocolError(INVALID_PARAMS, `Unknown log level: ${level}`);
    session.setLogLevel(level);
    return EMPTY;
  },
  'tools/list': async (session, call) => {
    const { listsOwnToolsOnly, ownTools } = session.gateway;
    return listsOwnToolsOnly ? toJson({ tools: ownTools }) : (await session.catalog(call)).lists.tools;
  },
  'prompts/list': async (session, call) => (await session.catalog(call)).lists.prompts,
  'resources/list': async (session, call) => (await session.catalog(call)).lists.resources,
  'resources/templates/list': async (session, call) => (await session.catalog(call)).lists.templates,
  'tools/call': callTool,
  'prompts/get': async (session, call) => {
    const name = stringFrom(call.params.get('name')) ?? '';
    const route = (await session.catalog(call)).prompts.get(name);
    if (!route) throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name}`);
    return pass(session, call, route, new Map(call.params).set('name', toJson(route.name)));
  },
  'resources/read': async (session, call) => {
    const uri = stringFrom(call.params.get('uri')) ?? '';
    const route = resourceRoute(await session.catalog(call), uri);
    if (!route)
      throw new ProtocolError(call.era === 'modern' ? INVALID_PARAMS : -32002, `Resource not found: ${uri}`, {
        uri,
      });
    return pass(session, call, route, call.params);
  },
  'resources/subscribe': async (session, call) => {
    await session.subscriptions.subscribe(call, stringFrom(call.params.get('uri')) ?? '');
    return EMPTY;
  },
  'resources/unsubscribe': async (session, call) => {
    session.subscriptions.unsubscribe(stringFrom(call.params.get('uri')) ?? '');
    return EMPTY;
  },
  'completion/complete': complete,
  'subscriptions/listen': (session, call) => session.subscriptions.listen(call),
};

/** Methods of one era only. */
const MODERN_ONLY = new Set(['server/discover', 'subscriptions/listen']);
const LEGACY_ONLY = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export const isServed = (method: string, era: Era): boolean =>
  Object.hasOwn(METHODS, method) && !(era === 'modern' ? LEGACY_ONLY : MODERN_ONLY).has(method);

export function serveMethod(session: FrontContext, call: Call): Promise<Buffer> {
  const method = isServed(call.method, call.era) ? METHODS[call.method] : undefined;
  if (!method) throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${call.method}`);
  return method(session, call);
}

async function callTool(session: FrontContext, call: Call): Promise<Buffer> {
  const name = stringFrom(call.params.get('name')) ?? '';
  const { ownTools } = session.gateway;
  // The gateway's own tools do not wait for backends: they show which ones are missing.
  if (ownTools.some((tool) => tool.name === name)) {
    session.openOwnBackends(call);
    return answerOf(call, undefined, () =>
      callOwnTool(session, call, name, objectFrom(call.params.get('arguments')) ?? {}),
    );
  }
  // Only an unknown name waits for backends that are still starting.
  const route = session.knownTool(name) ?? (await session.catalog(call)).tools.get(name);
  if (!route) throw unknownTool(session, name);
  return answerOf(call, route.backend, () => callBackendTool(session, call, route, call.params));
}

/** The result of a tool, with failures as a result that the model can read. */
async function answerOf(
  call: Call,
  backend: string | undefined,
  run: () => Promise<Buffer>,
): Promise<Buffer> {
  try {
    return await run();
  } catch (error) {
    // Errors of the backend and of the protocol pass unchanged.
    if (error instanceof BackendError || error instanceof ProtocolError || error instanceof CallAborted)
      throw error;
    const failure = toRelayError(error, backend);
    call.trace?.failed(failure.message);
    return failedToolResult(failure);
  }
}

function unknownTool(session: FrontContext, name: string): ProtocolError {
  const catalog = session.liveCatalog.current;
  const reason = catalog.refused.get(name);
  if (reason !== undefined)
    return new ProtocolError(INVALID_PARAMS, `The tool ${name} is not offered. ${reason}.`, { reason });
  const suggestions = nearNames(name, catalog.tools.keys());
  const hint =
    suggestions.length === 0
      ? 'relay_get_status shows the names.'
      : `Did you mean ${suggestions.join(', ')}?`;
  const absent = session.gateway
    .status(session.own)
    .servers.filter(({ health }) => health === 'connecting' || health === 'failed')
    .map((server) => `${server.name} (${server.health})`);
  const perhaps = absent.length === 0 ? '' : ` Not connected: ${absent.join(', ')}.`;
  return new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name}. ${hint}${perhaps}`, { suggestions });
}

async function callOwnTool(
  session: FrontContext,
  call: Call,
  name: string,
  args: Record<string, unknown>,
): Promise<Buffer> {
  const isSearch = searchTools.some((tool) => tool.name === name);
  if (!isSearch) return callManagementTool(session, name, args);
  const catalog = await session.catalog(call);
  if (name === 'relay_search_tools') {
    return shown({ tools: findTools(catalog, required(args, 'query'), args.limit) });
  }
  const wanted = required(args, 'name');
  const route = catalog.tools.get(wanted);
  if (!route || route.backend === '') {
    const reason = catalog.refused.get(wanted);
    throw new RelayError(
      'ToolNotFound',
      reason === undefined
        ? `No tool is named '${wanted}'.`
        : `The tool '${wanted}' is not offered. ${reason}.`,
    );
  }
  if (name === 'relay_describe_tool') return shown(route.definition);
  if (args.arguments !== undefined && !isObject(args.arguments))
    throw new RelayError('InvalidRequest', 'The argument "arguments" must be an object.');
  // The raw bytes, so that numbers of any size survive.
  const raw = scanObject(call.params.get('arguments') ?? EMPTY)?.get('arguments') ?? EMPTY;
  return callBackendTool(session, call, route, new Map(call.params).set('arguments', raw));
}

function callBackendTool(
  session: FrontContext,
  call: Call,
  route: Route,
  params: JsonMembers,
): Promise<Buffer> {
  const { annotations } = route.definition;
  const repeatable =
    isObject(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true);
  const headers = route.headers?.length
    ? paramHeaders(route.headers, objectFrom(params.get('arguments')))
    : undefined;
  const unchanged = route.name === route.definition.name && params === call.params;
  const sent = unchanged ? params : new Map(params).set('name', toJson(route.name));
  return pass(session, call, route, sent, { repeatable, headers });
}

async function complete(session: FrontContext, call: Call): Promise<Buffer> {
  const catalog = await session.catalog(call);
  const ref = objectFrom(call.params.get('ref')) ?? {};
  const route = completionRoute(catalog, ref);
  if (!route) throw new ProtocolError(INVALID_PARAMS, 'Unknown prompt or resource template');
  const renamed = ref.type === 'ref/prompt' ? { ...ref, name: route.name } : ref;
  return pass(session, call, route, new Map(call.params).set('ref', toJson(renamed)));
}

function completionRoute(catalog: Catalog, ref: Record<string, unknown>): Route | undefined {
  if (typeof ref.name === 'string') return catalog.prompts.get(ref.name);
  const { uri } = ref;
  if (typeof uri !== 'string') return undefined;
  return catalog.templates.find(({ name }) => name === uri) ?? resourceRoute(catalog, uri);
}

/** Everything except tool calls is read-only and may be repeated after a lost connection. */
function pass(
  session: FrontContext,
  call: Call,
  route: Route,
  params: JsonMembers,
  options: Pick<ForwardOptions, 'repeatable' | 'headers'> = { repeatable: true },
): Promise<Buffer> {
  const backend = session.backend(route.backend);
  if (!backend) throw new RelayError('BackendNotFound', `The server '${route.backend}' was removed.`);
  call.trace?.sent(route.backend, route.name);
  return session.forwarder.forward(call, backend, { method: call.method, params, ...options });
}

const shown = (value: object): Buffer =>
  toJson({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
