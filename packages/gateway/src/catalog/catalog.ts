import { safeLine } from '@agent-relay/protocol';
import { isObject, toJson } from '../json/raw-json.ts';
import { isAllowed, matchesTemplate, offeredName } from './names.ts';
import { type ParamHeader, readParamHeaders } from './param-headers.ts';
import { type Definition, toolProblem } from './validate-tool.ts';

/** What one backend offers, unchanged. */
export interface Lists {
  tools: unknown[];
  prompts: unknown[];
  resources: unknown[];
  templates: unknown[];
}

/** One backend's part of the catalog. Sources are in configuration order; the first one wins. */
export interface CatalogSource {
  name: string;
  prefix: string;
  allow: string[];
  deny: string[];
  lists: Lists;
  /** Tools withheld until a person approves their definition: reasons by name. */
  withheld: ReadonlyMap<string, string>;
}

/** Where a call goes: the backend, and the name it uses itself. */
export interface Route {
  backend: string;
  name: string;
  definition: Definition;
  /** Arguments that are also sent as HTTP headers. */
  headers?: ParamHeader[];
}

interface SourceReport {
  /** The offered names of this backend's tools. */
  toolNames: string[];
  invalid: Array<{ name: string; reason: string }>;
  /** Prompts and resources that an earlier backend offers under the same name. */
  hidden: Array<{ name: string; reason: string }>;
}

/** Everything the gateway offers: list answers and routes. */
export interface Catalog {
  tools: Map<string, Route>;
  prompts: Map<string, Route>;
  resources: Map<string, Route>;
  templates: Route[];
  reports: Map<string, SourceReport>;
  /** Why tools are not offered, by the name they would have. */
  refused: Map<string, string>;
  /** Answers to the list methods, serialized once. */
  lists: { tools: Buffer; prompts: Buffer; resources: Buffer; templates: Buffer };
}

export function buildCatalog(sources: CatalogSource[], ownTools: Definition[]): Catalog {
  const own = ownTools.map((tool): [string, Route] => [
    String(tool.name),
    { backend: '', name: '', definition: tool },
  ]);
  const tools = new Map<string, Route>(own);
  const prompts = new Map<string, Route>();
  const resources = new Map<string, Route>();
  const templates: Route[] = [];
  const reports = new Map<string, SourceReport>();
  const refused = new Map<string, string>();
  for (const source of sources) {
    const report: SourceReport = { toolNames: [], invalid: [], hidden: [] };
    reports.set(source.name, report);
    addTools(source, tools, refused, report);
    addNamed(source, prompts, report);
    addResources(source, resources, templates, report);
  }
  return {
    tools,
    prompts,
    resources,
    templates,
    reports,
    refused,
    lists: writeLists(tools, prompts, resources, templates),
  };
}

/** The route of a resource: the backend that lists it, or the first with a matching template. */
export function resourceRoute(catalog: Catalog, uri: string): Route | undefined {
  return catalog.resources.get(uri) ?? catalog.templates.find(({ name }) => matchesTemplate(name, uri));
}

function addTools(
  source: CatalogSource,
  tools: Map<string, Route>,
  refused: Map<string, string>,
  report: SourceReport,
): void {
  for (const tool of source.lists.tools) {
    const original = isObject(tool) && typeof tool.name === 'string' ? tool.name : '(unnamed)';
    if (!isAllowed(original, source.allow, source.deny)) continue;
    const name = offeredName(source.prefix, original);
    const holder = tools.get(name);
    const problem =
      toolProblem(tool) ??
      source.withheld.get(original) ??
      (holder && `Name conflict: '${name}' is already provided by ${holder.backend || 'the gateway'}`);
    if (problem !== undefined) {
      report.invalid.push({ name: safeLine(original), reason: problem });
      refused.set(name, problem);
      continue;
    }
    const definition = { ...(tool as Definition), name };
    tools.set(name, {
      backend: source.name,
      name: original,
      definition,
      headers: readParamHeaders((tool as Definition).inputSchema),
    });
    report.toolNames.push(name);
  }
}

function addNamed(source: CatalogSource, prompts: Map<string, Route>, report: SourceReport): void {
  for (const prompt of source.lists.prompts) {
    if (!isObject(prompt) || typeof prompt.name !== 'string') continue;
    const name = offeredName(source.prefix, prompt.name);
    const holder = prompts.get(name);
    if (holder) {
      report.hidden.push({
        name: prompt.name,
        reason: `Prompt conflict: '${name}' is already provided by ${holder.backend}`,
      });
      continue;
    }
    prompts.set(name, { backend: source.name, name: prompt.name, definition: { ...prompt, name } });
  }
}

function addResources(
  source: CatalogSource,
  resources: Map<string, Route>,
  templates: Route[],
  report: SourceReport,
): void {
  for (const resource of source.lists.resources) {
    if (!isObject(resource) || typeof resource.uri !== 'string') continue;
    const uri = resource.uri;
    const holder = resources.get(uri);
    if (holder)
      report.hidden.push({ name: uri, reason: `Resource conflict: already provided by ${holder.backend}` });
    else resources.set(uri, { backend: source.name, name: uri, definition: resource });
  }
  for (const template of source.lists.templates) {
    if (!isObject(template) || typeof template.uriTemplate !== 'string') continue;
    templates.push({ backend: source.name, name: template.uriTemplate, definition: template });
  }
}

const definitions = (routes: Iterable<Route>): Definition[] =>
  [...routes].map(({ definition }) => definition);

const writeLists = (
  tools: Map<string, Route>,
  prompts: Map<string, Route>,
  resources: Map<string, Route>,
  templates: Route[],
): Catalog['lists'] => ({
  tools: toJson({ tools: definitions(tools.values()) }),
  prompts: toJson({ prompts: definitions(prompts.values()) }),
  resources: toJson({ resources: definitions(resources.values()) }),
  templates: toJson({ resourceTemplates: definitions(templates) }),
});
