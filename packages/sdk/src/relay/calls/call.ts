import {
  type CallPayload,
  durationText,
  encodeEnvelope,
  isRelayError,
  RelayError,
} from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { callApplication } from '../../connection/emitter.ts';
import type { CallOptions } from '../../options.ts';
import { awaitReply } from '../messages/await-reply.ts';
import { CallTime } from './call-time.ts';
import { invoke } from './invoke.ts';

type Options = CallOptions & { parent?: string };

/** Calls `Name.tool`, or an action by its name, and resolves with its result. A started call is never repeated. */
export async function call(
  session: ClientSession,
  target: string,
  args: Record<string, unknown> = {},
  options: Options = {},
): Promise<unknown> {
  const dot = target.indexOf('.');
  if (dot <= 0 || dot === target.length - 1) return await callAction(session, target, args, options);
  try {
    // The name before the first dot is the agent or server; a tool name may contain dots.
    return await callTool(session, target.slice(0, dot), target.slice(dot + 1), args, options);
  } catch (error) {
    // Nothing has run: there is no such tool. Actions have dots in their names too.
    if (!isRelayError(error, 'AgentNotFound') && !isRelayError(error, 'ToolNotFound')) throw error;
    return await callAction(session, target, args, options, error);
  }
}

async function callAction(
  session: ClientSession,
  name: string,
  args: Record<string, unknown>,
  options: Options,
  /** The error if there is no action either. */
  otherwise?: RelayError,
): Promise<unknown> {
  const { status, result, error } = await invoke(session, name, args, { ...options, wait: true }).catch(
    (refusal: unknown) => {
      throw otherwise ? neither(otherwise, refusal, name) : refusal;
    },
  );
  if (status === 'completed') return result;
  throw error ? RelayError.fromPayload(error) : new RelayError('Internal');
}

/** The error if there is neither such a tool nor an action, with similar names. */
function neither(noTool: RelayError, refusal: unknown, name: string): unknown {
  // A key without a name may call tools, and invokes nothing.
  if (isRelayError(refusal, 'AgentNameRequired')) return noTool;
  if (!isRelayError(refusal, 'ActionNotFound')) return refusal;
  if (noTool.code !== 'AgentNotFound') return noTool;
  if (refusal.details?.suggestions?.length) return refusal;
  const { code, message, next, details } = noTool;
  return new RelayError(code, `There is no action "${name}" available to you. ${message}`, {
    next,
    ...(details && { details }),
    cause: refusal,
  });
}

async function callTool(
  session: ClientSession,
  server: string,
  tool: string,
  args: Record<string, unknown>,
  { timeoutMs, signal, onProgress, parent }: Options,
): Promise<unknown> {
  const id = session.newId();
  const target = `${server}.${tool}`;
  const time = new CallTime(timeoutMs);
  const payload: CallPayload = {
    kind: 'mcp_tool_call',
    server,
    tool,
    arguments: args,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(parent === undefined ? {} : { parent }),
  };
  return await awaitReply<unknown>(session, signal, (settle) => ({
    id,
    sent: false,
    repeatable: false,
    get deadline() {
      return time.deadline;
    },
    encode: () => encodeEnvelope('CALL', id, Date.now(), payload),
    expire: () =>
      new RelayError('Timeout', `${target} was not answered within ${durationText(time.ms)}.`, MAY_HAVE_RUN),
    answer: (result) => {
      time.granted(result.timeoutMs);
      return false;
    },
    reply: (result) => settle.resolve(result),
    progress: (progress) => {
      if (onProgress) callApplication(onProgress, progress);
    },
    fail: (error) => settle.reject(isRelayError(error, 'Connection') ? lost(target, error) : error),
  }));
}

const MAY_HAVE_RUN = {
  next: 'The tool may have run. Check that before you call it again.',
  retryable: false,
};

const lost = (target: string, cause: RelayError): RelayError =>
  new RelayError('Connection', `The connection was lost before ${target} answered.`, {
    ...MAY_HAVE_RUN,
    cause,
  });
