import { z } from 'zod';
import { clientId, jsonValue } from '../payloads.ts';
import type { Reason } from '../reasons.ts';
import { type Nothing, name, result } from './define.ts';

/** How far the program of an agent has come; `waiting`: for something only a person can do. */
export type RunState = 'starting' | 'ready' | 'waiting' | 'exited';

/** The program of an agent in its terminal, as it runs now or as it ended. */
export interface RunInfo {
  state: RunState;
  /** The relay started it; absent for one that a person started with `agent-relay run`. */
  spawned?: true;
  startedAt: number;
  endedAt?: number;
  /** Seen by its host, not said by the agent; absent where nobody saw the end. */
  exit?: RunExit;
  /** Why it ended, where the exit code does not say it: it was released, its host was killed. */
  ended?: string;
  version?: string;
  cwd: string;
}

export interface RunExit {
  code: number;
  signal?: string;
}

/** What a worker says it has done: its claim, not something that was seen. */
export interface WorkerResult {
  data: unknown;
  final: boolean;
  at: number;
}

const text = z.string().max(4096);
/** A process, and what tells it from a later one of the same number. */
const processRef = z.object({ pid: z.int().positive(), mark: z.string().min(1).max(128) }).strict();
export type ProcessRef = z.infer<typeof processRef>;

/** A single word: a model is never an option, whatever the CLI makes of it. */
const model = z.string().regex(/^[A-Za-z0-9][\w.:/@[\]-]{0,127}$/, 'must be one word');

export const terminalOperations = {
  /**
   * Starts an agent CLI in a terminal of its own, as a new agent that works for the asking one. Its task is a message.
   * Answered when the agent was seen working on it, else after `waitMs` with what it waits for.
   */
  SPAWN: {
    params: z
      .object({
        name,
        cli: z.string().min(1).max(64),
        task: z.string().optional(),
        model: model.optional(),
        /** Relative to the project. Default: the project's directory. */
        cwd: text.optional(),
        channels: z.array(name).max(64).default([]),
        /** For the CLI, as they are. */
        args: z.array(text).max(256).default([]),
        /** The environment of the CLI; only from programs on this machine. */
        env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).optional(),
        waitMs: z.int().min(0).max(600_000).default(20_000),
      })
      .strict(),
    result: result<{ name: string; status: 'ready' | 'spawning'; reason?: Reason }>(),
  },
  /** Ends the program of an agent and all it started; a spawned agent is removed. Answered when it is gone. */
  RELEASE: {
    params: z.object({ agent: name, reason: z.string().max(1024).optional() }).strict(),
    result: result<{ name: string; exit?: RunExit }>(),
  },
  /** A worker's result, for the agent it works for: stored as a message from the worker. */
  RESULT_SUBMIT: {
    params: z.object({ data: jsonValue, final: z.boolean().default(true) }).strict(),
    result: result<{ messageId: string; to: string }>(),
  },
  /** Waits for the final result of a worker; answered without one when its program has ended, or after the time. */
  RESULT_AWAIT: {
    params: z.object({ agent: name, timeoutMs: z.int().min(0).max(86_400_000).default(30_000) }).strict(),
    result: result<{ result?: WorkerResult; exit?: RunExit; running: boolean }>(),
  },
  /** The process that holds an agent's terminal: says what runs, and is told what to do with it (EVENT `run.end`). */
  HOST: {
    params: z
      .object({
        run: clientId,
        cli: z.string().min(1).max(64),
        args: z.array(text).max(1024).default([]),
        cwd: text,
        host: processRef,
        program: processRef,
        version: z.string().max(64).optional(),
        startedAt: z.int().nonnegative(),
      })
      .strict(),
    result: result<Nothing>(),
  },
  /** What the host observed of the program. */
  RUN_REPORT: {
    params: z
      .object({
        run: clientId,
        exit: z
          .object({ code: z.int().min(0).max(255), signal: z.string().max(16).optional() })
          .strict()
          .optional(),
        /** The CLI's own id of its conversation, to go on with it later. */
        session: z.string().max(256).optional(),
      })
      .strict(),
    result: result<Nothing>(),
  },
} as const;
