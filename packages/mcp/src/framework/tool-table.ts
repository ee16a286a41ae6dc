import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Tool } from './tool.ts';
import type { Toolset } from './toolset.ts';

/** The tools of the toolsets a door serves. Created once for each choice; schemas are computed when first listed. */
export class ToolTable {
  readonly toolsets: readonly Toolset[];
  readonly #tools: ReadonlyMap<string, Tool>;
  #listed: ListedTool[] | undefined;

  constructor(toolsets: readonly Toolset[]) {
    this.toolsets = toolsets;
    this.#tools = new Map(toolsets.flatMap(({ tools }) => tools).map((tool) => [tool.name, tool]));
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** The answer to `tools/list`. */
  list(): ListedTool[] {
    this.#listed ??= [...this.#tools.values()].map(listedTool);
    return this.#listed;
  }
}

const listedTool = ({ name, description, input, annotations }: Tool): ListedTool => ({
  name,
  description,
  inputSchema: inputSchema(input),
  annotations,
});

/** Every word costs context, so the dialect is omitted; what zod cannot express may be added. */
function inputSchema(input: z.ZodObject): ListedTool['inputSchema'] {
  const { $schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return { ...schema, ...input.meta() } as ListedTool['inputSchema'];
}
