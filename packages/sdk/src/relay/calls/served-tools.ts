import {
  ACTION_NAME_RULE,
  type ActionDefinition,
  isActionName,
  type OperationInput,
  RelayError,
  type RelayEvent,
  type ServedCallPayload,
  type ToolCaller,
  type ToolDefinition,
} from '@agent-relay/protocol';
import type { CallOptions, RefusedTools } from '../../options.ts';
import type { Terminals } from '../terminals/terminals.ts';
import type { CallerWorkers } from '../terminals/workers.ts';
import { jsonSchemaOf, parsed, type ToolSchema, type ValueOf } from './tool-schema.ts';

/** The arguments of a tool handler. */
export interface ToolCall<Input = Record<string, unknown>> {
  input: Input;
  /** The caller. */
  agent: ToolCaller;
  /** Unique. */
  invocationId: string;
  /** Aborted when the caller no longer waits. */
  signal: AbortSignal;
  /** Reports progress to the caller. */
  progress(progress: number, total?: number, message?: string): void;
  /** Calls another tool on behalf of this call. */
  call(target: string, args?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** Starts and releases workers of the caller: with its permissions and yours, as the arguments of this call say. */
  workers: CallerWorkers;
  /** Shows terminals to the caller, in the same way. */
  terminals: Pick<Terminals, 'attach'>;
}

/** A tool of this agent that others can call. */
export interface ExposedTool<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema> {
  name: string;
  description: string;
  /** The schema of its arguments: zod or JSON Schema. */
  input: Input;
  /** The schema of its result. Default: any JSON. */
  output?: Output;
  /** Each call needs the approval of a person. */
  consent?: boolean;
  handler(call: ToolCall<ValueOf<Input>>): unknown;
}

/** The same under a project-wide name; callers need not know who performs it. */
export interface RegisteredAction<
  Input extends ToolSchema = ToolSchema,
  Output extends ToolSchema = ToolSchema,
> extends ExposedTool<Input, Output> {
  /** Who may invoke it: names, `#channel`, `lead`, `human`. Default: everybody in the project. */
  availableTo?: string[];
}

type Offer = Required<OperationInput<'SERVE'>>;

/** How the tools and actions of a client reach the daemon. */
export interface ToolWire {
  serve(offer: Offer): Promise<unknown>;
  /** The daemon refuses what it accepted on an earlier connection. */
  refused(refusal: RefusedTools): void;
  progress(payload: OperationInput<'PROGRESS'>): void;
  result(payload: OperationInput<'RESULT'>): Promise<unknown>;
  /** Calls another tool on behalf of the call `parent`. */
  call(
    target: string,
    args: Record<string, unknown> | undefined,
    options: CallOptions & { parent: string },
  ): Promise<unknown>;
  /** What is done for the caller of a call. */
  forCaller(callId: string): Pick<ToolCall, 'workers' | 'terminals'>;
}

interface Entry<Definition> {
  tool: ExposedTool;
  definition: Definition;
  /** The daemon accepted it, on this connection or an earlier one. */
  wasServed?: boolean;
  /** Why the daemon refused it. */
  refusal?: RelayError;
}

/** The tools and actions that this client handles calls of, over all its connections. */
export class ServedTools {
  readonly #wire: ToolWire;
  readonly #tools = new Map<string, Entry<ToolDefinition>>();
  readonly #actions = new Map<string, Entry<ActionDefinition>>();
  readonly #running = new Map<string, AbortController>();
  /** Tools exposed in quick succession are sent to the daemon together. */
  #serving: Promise<void> | undefined;

  constructor(wire: ToolWire) {
    this.#wire = wire;
  }

  /** Resolves when others can see and call the tool, with a function that removes it. */
  async expose(tool: ExposedTool): Promise<() => Promise<void>> {
    return this.#add(this.#tools, { tool, definition: definitionOf(tool) });
  }

  /** The same for an action. */
  async register(action: RegisteredAction): Promise<() => Promise<void>> {
    const { name, availableTo } = action;
    if (!isActionName(name))
      throw new RelayError('InvalidName', `The name of the action "${name}" ${ACTION_NAME_RULE}.`, {
        next: 'Choose another name for the action.',
      });
    const definition = { ...definitionOf(action), ...(availableTo === undefined ? {} : { availableTo }) };
    return this.#add(this.#actions, { tool: action, definition });
  }

  async #add<Definition extends ToolDefinition>(
    served: Map<string, Entry<Definition>>,
    entry: Entry<Definition>,
  ): Promise<() => Promise<void>> {
    const { name } = entry.definition;
    if (served.has(name)) {
      throw new RelayError('InvalidRequest', `This client already has a tool or action "${name}".`, {
        details: { field: 'name' },
      });
    }
    served.set(name, entry);
    const remove = () => served.get(name) === entry && served.delete(name);
    try {
      await this.#serve();
      if (entry.refusal) throw entry.refusal;
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
    if (this.#tools.size + this.#actions.size === 0) return;
    this.#offerAll().catch((error: RelayError) => {
      // The next connection offers them again.
      if (error.code === 'Connection' || error.code === 'Cancelled') return;
      const entries = this.#entries().filter(({ wasServed }) => wasServed);
      for (const { definition } of entries) {
        this.#tools.delete(definition.name);
        this.#actions.delete(definition.name);
      }
      this.#wire.refused({ names: entries.map(({ definition }) => definition.name), error });
    });
  }

  /** The daemon has ended the calls of a lost connection: their results are dropped. */
  connectionLost(error: RelayError): void {
    for (const running of this.#running.values()) running.abort(error);
    this.#running.clear();
  }

  cancelled({ callId, reason }: Extract<RelayEvent, { type: 'call.cancelled' }>): void {
    const text =
      reason === 'timeout'
        ? 'The caller stopped waiting: its timeout was reached.'
        : 'The caller stopped waiting.';
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

  async #handle(asked: ServedCallPayload, signal: AbortSignal): Promise<unknown> {
    const { callId, tool: name, arguments: args, caller, invocationId = callId } = asked;
    const tool = (asked.action ? this.#actions : this.#tools).get(name)?.tool;
    if (!tool) throw new Error(`The tool "${name}" was removed.`);
    const result = await tool.handler({
      input: (await parsed(tool.input, args)) as Record<string, unknown>,
      agent: caller,
      invocationId,
      signal,
      progress: (progress, total, message) => {
        if (this.#running.has(callId)) this.#wire.progress({ callId, progress, total, message });
      },
      call: (target, nested, options) => this.#wire.call(target, nested, { ...options, parent: callId }),
      ...this.#wire.forCaller(callId),
    });
    return tool.output === undefined ? result : parsed(tool.output, result);
  }

  #answer(callId: string, outcome: { result: unknown } | { error: string }): void {
    // The caller stopped waiting.
    if (!this.#running.delete(callId)) return;
    const answer = async (ending: typeof outcome) =>
      await this.#wire.result({ kind: 'mcp_tool_result', callId, ...ending });
    // If the result cannot be sent (too large, or not JSON), an error is. A lost connection has ended the call.
    void answer(outcome)
      .catch((error: unknown) => answer({ error: whyNotSent(error) }))
      .catch(() => undefined);
  }

  #offer(): Offer {
    return {
      tools: [...this.#tools.values()].map(({ definition }) => definition),
      actions: [...this.#actions.values()].map(({ definition }) => definition),
    };
  }

  #serve(): Promise<void> {
    this.#serving ??= Promise.resolve().then(async () => {
      this.#serving = undefined;
      await this.#offerAll();
    });
    return this.#serving;
  }

  /** Offers everything to the daemon. An action that it refuses is dropped, and the rest offered again. */
  async #offerAll(): Promise<void> {
    for (let most = this.#actions.size + 1; ; most--) {
      const offered = this.#entries();
      try {
        await this.#wire.serve(this.#offer());
        for (const entry of offered) entry.wasServed = true;
        return;
      } catch (error) {
        const name = refusedName(error);
        if (name === undefined || most === 0) throw error;
        this.#drop(name, error as RelayError);
      }
    }
  }

  /** Rejects the registration if it is still pending; otherwise reports it to the program. */
  #drop(name: string, error: RelayError): void {
    const entry = this.#actions.get(name);
    // An offer that was on its way may have been refused before.
    if (!entry) return;
    this.#actions.delete(name);
    if (entry.wasServed) this.#wire.refused({ names: [name], error });
    else entry.refusal = error;
  }

  #entries(): Array<Entry<ToolDefinition>> {
    return [...this.#tools.values(), ...this.#actions.values()];
  }
}

/** The action that the daemon refuses, where it refuses only that. */
const refusedName = (error: unknown): string | undefined =>
  error instanceof RelayError ? error.details?.name : undefined;

function definitionOf({ name, description, input, output, consent }: ExposedTool): ToolDefinition {
  if (typeof input !== 'object' || input === null)
    throw new RelayError('InvalidRequest', `"${name}" has no input schema.`, {
      next: 'Set input to a zod schema or a JSON Schema; {} takes any object.',
      details: { field: 'input' },
    });
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(input, 'input'),
    ...(output === undefined ? {} : { outputSchema: jsonSchemaOf(output, 'output') }),
    ...(consent ? { consent } : {}),
  };
}

const whyNotSent = (error: unknown): string =>
  error instanceof RelayError && error.code === 'FrameTooLarge'
    ? 'The result is too large (see quotas.callBytes). Put the content in a file and return its path.'
    : `The result cannot be sent: ${messageOf(error)}`;

/** For the caller, with the next step. `ToolFailed` needs none: its next step is to read the message. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof RelayError && error.code !== 'ToolFailed' ? error.next : '';
  return (next ? `${message} ${next}` : message).slice(0, 4096);
}
