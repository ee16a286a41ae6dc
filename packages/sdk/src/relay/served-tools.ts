import {
  type OperationInput,
  RelayError,
  type RelayEvent,
  type ServedCallPayload,
  type ToolCaller,
  type ToolDefinition,
} from '@agent-relay/protocol';
import type { CallOptions } from '../options.ts';
import { jsonSchemaOf, parsed, type ToolSchema, type ValueOf } from './tool-schema.ts';

/** What a handler of a tool is called with. */
export interface ToolCall<Input = Record<string, unknown>> {
  input: Input;
  /** Who calls. */
  agent: ToolCaller;
  /** Unique. */
  invocationId: string;
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
  /** Tells the caller how far it is. */
  progress(progress: number, total?: number, message?: string): void;
  /** Calls another tool on behalf of this call. */
  call(target: string, args?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
}

/** A tool of this agent that others can call. */
export interface ExposedTool<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema> {
  name: string;
  description: string;
  /** What it is called with: a zod schema or a JSON Schema. */
  input: Input;
  /** What it returns; without it, any JSON. */
  output?: Output;
  /** Each call needs the yes of a person. */
  consent?: boolean;
  handler(call: ToolCall<ValueOf<Input>>): unknown;
}

/** How the tools of a client reach the daemon. */
export interface ToolWire {
  serve(tools: ToolDefinition[]): Promise<unknown>;
  /** On a new connection, before anything else. */
  serveAgain(tools: ToolDefinition[]): void;
  progress(payload: OperationInput<'PROGRESS'>): void;
  result(payload: OperationInput<'RESULT'>): Promise<unknown>;
  /** Calls another tool on behalf of the call `parent`. */
  call(
    target: string,
    args: Record<string, unknown> | undefined,
    options: CallOptions & { parent: string },
  ): Promise<unknown>;
}

/** The tools that this client handles calls of, over all its connections. */
export class ServedTools {
  readonly #wire: ToolWire;
  readonly #tools = new Map<string, { tool: ExposedTool; definition: ToolDefinition }>();
  readonly #running = new Map<string, AbortController>();
  /** Tools that are exposed one after the other go to the daemon together. */
  #serving: Promise<void> | undefined;

  constructor(wire: ToolWire) {
    this.#wire = wire;
  }

  /** Resolves when others can see and call the tool, with how to take it back. */
  async expose(tool: ExposedTool): Promise<() => Promise<void>> {
    const { name } = tool;
    if (this.#tools.has(name)) {
      throw new RelayError('InvalidRequest', `This client exposes a tool "${name}" already.`, {
        details: { field: 'name' },
      });
    }
    const entry = { tool, definition: definitionOf(tool) };
    this.#tools.set(name, entry);
    const remove = () => this.#tools.get(name) === entry && this.#tools.delete(name);
    try {
      await this.#serve();
    } catch (error) {
      remove();
      throw error;
    }
    return async () => {
      if (remove()) await this.#serve();
    };
  }

  /** For a new connection, which serves nothing yet. */
  serveAgain(): void {
    if (this.#tools.size > 0) this.#wire.serveAgain(this.#definitions());
  }

  /** The daemon has ended the calls of a connection that broke: what their handlers return goes nowhere. */
  connectionLost(error: RelayError): void {
    for (const running of this.#running.values()) running.abort(error);
    this.#running.clear();
  }

  cancelled({ callId, reason }: Extract<RelayEvent, { type: 'call.cancelled' }>): void {
    const text =
      reason === 'timeout' ? 'The caller stopped waiting: its time was over.' : 'The caller stopped waiting.';
    this.#running.get(callId)?.abort(new RelayError('Cancelled', text));
    this.#running.delete(callId);
  }

  called(asked: ServedCallPayload): void {
    const running = new AbortController();
    this.#running.set(asked.callId, running);
    void this.#handle(asked, running.signal).then(
      (result) => this.#answer(asked.callId, { result }),
      (error: unknown) => this.#answer(asked.callId, { error: messageOf(error) }),
    );
  }

  async #handle({ callId, tool: name, arguments: args, caller }: ServedCallPayload, signal: AbortSignal) {
    const tool = this.#tools.get(name)?.tool;
    if (!tool) throw new Error(`The tool "${name}" was taken back.`);
    const result = await tool.handler({
      input: (await parsed(tool.input, args)) as Record<string, unknown>,
      agent: caller,
      invocationId: callId,
      signal,
      progress: (progress, total, message) => {
        if (this.#running.has(callId)) this.#wire.progress({ callId, progress, total, message });
      },
      call: (target, nested, options) => this.#wire.call(target, nested, { ...options, parent: callId }),
    });
    return tool.output === undefined ? result : parsed(tool.output, result);
  }

  #answer(callId: string, outcome: { result: unknown } | { error: string }): void {
    // Nobody waits any more.
    if (!this.#running.delete(callId)) return;
    const answer = async (ending: typeof outcome) =>
      await this.#wire.result({ kind: 'mcp_tool_result', callId, ...ending });
    // What cannot be sent (too large, or no JSON) is told instead. A connection that is lost has ended the call.
    void answer(outcome)
      .catch((error: unknown) => answer({ error: `Its result cannot be sent: ${messageOf(error)}` }))
      .catch(() => undefined);
  }

  #definitions(): ToolDefinition[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  #serve(): Promise<void> {
    this.#serving ??= Promise.resolve().then(async () => {
      this.#serving = undefined;
      await this.#wire.serve(this.#definitions());
    });
    return this.#serving;
  }
}

function definitionOf({ name, description, input, output, consent }: ExposedTool): ToolDefinition {
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(input, 'input'),
    ...(output === undefined ? {} : { outputSchema: jsonSchemaOf(output, 'output') }),
    ...(consent ? { consent } : {}),
  };
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 4096);
