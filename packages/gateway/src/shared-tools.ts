import { type CallProgress, nearNames, RelayError } from '@agent-relay/protocol';
import type { BackendSet } from './backend/backend-set.ts';
import { BackendError, CallTimeout } from './backend/failures.ts';
import { reasonOf } from './backend/reason.ts';
import { isAllowed } from './catalog/names.ts';
import type { Pins } from './catalog/pins.ts';
import type { Definition } from './catalog/validate-tool.ts';
import type { LiveConfig } from './config/live-config.ts';
import { mayHaveArrived, toRelayError } from './front/session/messages.ts';
import { isObject, type JsonMembers, joinObject, objectFrom, toJson } from './json/raw-json.ts';

export interface ToolCallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: CallProgress) => void;
}

/** A tool as its server defines it. */
export interface ReviewedTool {
  definition: Definition;
  /** Why it may not be called. */
  problem?: string;
  /** Of a definition that changed since it was approved. */
  digest?: string;
}

/** The tools of the shared servers, called without a session of a client, by the names the servers themselves use. */
export class SharedTools {
  readonly #config: LiveConfig;
  readonly #shared: BackendSet;
  readonly #pins: Pins;

  constructor(config: LiveConfig, shared: BackendSet, pins: Pins) {
    this.#config = config;
    this.#shared = shared;
    this.#pins = pins;
  }

  /** Every tool that a server offers, also those that may not be called, and why. */
  reviewed(server: string): ReviewedTool[] {
    const entry = this.#config.find(server);
    const backend = this.#shared.get(server);
    if (!entry || !backend) return [];
    const { pin, allow, deny } = entry.config;
    const { withheld, digests } = this.#pins.review(server, backend.lists.tools, pin);
    return (backend.lists.tools as Definition[]).map((definition) => {
      const name = String(definition.name);
      const problem =
        withheld.get(name) ??
        (isAllowed(name, allow, deny) ? undefined : 'Not allowed by the configuration.');
      const digest = digests.get(name);
      return {
        definition,
        ...(problem === undefined ? {} : { problem }),
        ...(digest === undefined ? {} : { digest }),
      };
    });
  }

  /** Those that may be called. */
  callable(server: string): Definition[] {
    return this.reviewed(server).flatMap(({ definition, problem }) =>
      problem === undefined ? [definition] : [],
    );
  }

  /** The schema of a tool's arguments, as far as the server was heard. */
  inputSchema(server: string, tool: string): object | undefined {
    const tools = (this.#shared.get(server)?.lists.tools ?? []) as Definition[];
    const schema = tools.find(({ name }) => name === tool)?.inputSchema;
    return isObject(schema) ? schema : undefined;
  }

  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    { signal, onProgress }: ToolCallOptions = {},
  ): Promise<unknown> {
    const entry = this.#config.find(server);
    const backend = this.#shared.get(server);
    if (!entry || !backend) throw new RelayError('BackendNotFound', `No shared server is named '${server}'.`);
    const withheld = this.#pins.review(server, backend.lists.tools, entry.config.pin).withheld.get(tool);
    if (withheld !== undefined || !isAllowed(tool, entry.config.allow, entry.config.deny)) {
      throw new RelayError('ToolNotFound', withheld ?? `The tool '${tool}' of '${server}' is not allowed.`);
    }
    const offered = backend.lists.tools.map((one) => String((one as Definition).name));
    if (backend.known && !offered.includes(tool)) {
      const suggestions = nearNames(tool, offered);
      const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
      throw new RelayError('ToolNotFound', `'${server}' has no tool '${tool}'.${hint}`, {
        details: { suggestions },
      });
    }
    const params = new Map([
      ['name', toJson(tool)],
      ['arguments', toJson(args)],
    ]);
    try {
      const { bytes } = await backend.call('tools/call', params, {
        repeatable: false,
        clientCapabilities: {},
        signal,
        onProgress: onProgress && ((params) => tellProgress(params, onProgress)),
      });
      return objectFrom(bytes);
    } catch (error) {
      throw failureOf(error, server, tool);
    }
  }
}

const MAX_PROGRESS_TEXT = 1024;

/** Passes on what is well formed. */
function tellProgress(params: JsonMembers, onProgress: (progress: CallProgress) => void): void {
  const { progress, total, message } = objectFrom(joinObject(params)) ?? {};
  if (typeof progress !== 'number') return;
  onProgress({
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message: message.slice(0, MAX_PROGRESS_TEXT) } : {}),
  });
}

function failureOf(error: unknown, server: string, tool: string): RelayError {
  const facts = { cause: error };
  if (error instanceof BackendError)
    return new RelayError('ToolFailed', `${server}.${tool} failed: ${error.message}`, facts);
  if (mayHaveArrived(error) && !(error instanceof CallTimeout))
    return new RelayError('CalleeGone', `${server} disconnected during the call: ${reasonOf(error)}.`, facts);
  const told = toRelayError(error, server);
  // A caller by name has the commands of the relay, and perhaps not the tools of the gateway.
  return told.code === 'BackendUnavailable' ? new RelayError(told.code, told.message, facts) : told;
}
