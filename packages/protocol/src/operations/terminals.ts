import { z } from 'zod';
import type { TerminalState } from '../events.ts';
import type { Reason } from '../messages/reasons.ts';
import { type Attention, TERMINAL_CHUNK_BYTES, VIEW_MODES } from '../vocabulary.ts';
import { clientId, jsonValue } from '../wire/payloads.ts';
import { type Nothing, name, result } from './define.ts';

/** The state of an agent's program; `waiting`: for something only a person can do. */
export type RunState = 'starting' | 'ready' | 'waiting' | 'exited';

/** The program of an agent in its terminal, running or ended. */
export interface RunInfo {
  state: RunState;
  /** The relay started it; absent for one that a person started with `agent-relay run`. */
  spawned?: true;
  startedAt: number;
  endedAt?: number;
  /** Observed by its host, not reported by the agent; absent if the end was not observed. */
  exit?: RunExit;
  /** Why it ended, if the exit code does not say: it was released, its host ended without a report. */
  ended?: string;
  version?: string;
  /** Its conversation is known: it can be resumed when it has ended. */
  resumable?: true;
  cwd: string;
  /** Its own git worktree, in which `cwd` is. */
  worktree?: { path: string; branch: string };
}

export interface RunExit {
  code: number;
  signal?: string;
}

/** What became of the git worktree of a released agent. */
export interface LeftWorktree {
  path: string;
  branch: string;
  /** Why it still stands; absent if it was removed. */
  kept?: string;
  /** What to do before removing it. */
  next?: string;
  /** How many commits that no branch or tag has were kept in the repository. */
  commits?: number;
  /** What was removed with it although git ignores it: how many files, and the files and directories in the tree. */
  ignored?: { files: number; names: string[] };
}

/** A worker's own report of its work, not an observation. */
export interface WorkerResult {
  data: unknown;
  final: boolean;
  at: number;
}

const text = z.string().max(4096);
/** A process, and what distinguishes it from a later one with the same id. */
const processRef = z.object({ pid: z.int().positive(), mark: z.string().min(1).max(128) }).strict();
export type ProcessRef = z.infer<typeof processRef>;

/** How a person started an agent in their terminal, beside its name: given again when it is resumed. */
const runChoices = z.object({ native: z.boolean().optional(), patterns: z.boolean().optional() }).strict();
export type RunChoices = z.infer<typeof runChoices>;

const columns = z.int().min(1).max(1000);
const rows = z.int().min(1).max(1000);
const bytes = z.base64().max((TERMINAL_CHUNK_BYTES * 4) / 3 + 4);
const viewer = z.string().max(64);
/** A call that this connection handles: the operation is done for its caller. */
const call = clientId.optional();

/** One word that does not start with `-`, so that it cannot be taken for an option. */
const model = z.string().regex(/^[A-Za-z0-9][\w.:/@[\]-]{0,127}$/, 'must be one word');

export const terminalOperations = {
  /**
   * Starts an agent CLI in its own terminal, as a new agent that works for the caller. Its task is a message.
   * Answered when the agent was observed working on it, else after `waitMs` with what it is waiting for.
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
        /** Give it a git worktree of its own, from the local HEAD, on a new branch. */
        worktree: z.boolean().optional(),
        /** A shell command that is run in the new worktree first. */
        setup: z.string().min(1).max(4096).optional(),
        channels: z.array(name).max(64).default([]),
        /** Passed to the CLI unchanged. */
        args: z.array(text).max(256).default([]),
        /** The environment of the CLI; only from programs on this machine. */
        env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).optional(),
        waitMs: z.int().min(0).max(600_000).default(20_000),
        call,
      })
      .strict(),
    result: result<{ name: string; status: 'ready' | 'spawning'; reason?: Reason }>(),
  },
  /** Ends the program of an agent and everything it started; a spawned agent is removed. Answered when it has ended. */
  RELEASE: {
    params: z.object({ agent: name, reason: z.string().max(1024).optional(), call }).strict(),
    /** `worktree`: absent if it is gone and there is nothing to say about it. */
    result: result<{ name: string; exit?: RunExit; worktree?: LeftWorktree }>(),
  },
  /**
   * Starts an agent that has ended again, in the same conversation: with its name, its parent, its directory and arguments. One
   * that a person ran in a terminal is not started; the answer says what to run there.
   */
  RESUME: {
    params: z
      .object({
        agent: name,
        env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).optional(),
        waitMs: z.int().min(0).max(600_000).default(20_000),
      })
      .strict(),
    result: result<
      | { name: string; status: 'ready' | 'spawning'; reason?: Reason }
      | {
          name: string;
          status: 'foreground';
          cli: string;
          args: string[];
          cwd: string;
          session: string;
          choices?: RunChoices;
        }
    >(),
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
  /**
   * From the process that holds an agent's terminal: reports what runs, and gets commands (EVENT `run.end`). An agent has one
   * run at a time, so it is sent without `program` first: that keeps the agent for this run while the program is started.
   */
  HOST: {
    params: z
      .object({
        run: clientId,
        cli: z.string().min(1).max(64),
        args: z.array(text).max(1024).default([]),
        cwd: text,
        host: processRef,
        program: processRef.optional(),
        /** The person's terminal it runs in, such as `/dev/pts/3`; absent for a run without one. */
        terminal: z.string().min(1).max(128).optional(),
        version: z.string().max(64).optional(),
        startedAt: z.int().nonnegative(),
        choices: runChoices.optional(),
        /** A viewer held its messages when the last connection ended. */
        held: z.boolean().optional(),
      })
      .strict(),
    /** What the agent wants; later changes come as EVENT `run.attention`. */
    result: result<{ attention?: Attention }>(),
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
        /** The CLI's own conversation id, to resume it later: an argument then, which must not be taken for an option. */
        session: z.string().max(256).regex(/^[^-]/, 'must not be empty or start with -').optional(),
        /** The signal that the host got itself: the program did not end on its own. */
        stopped: z.string().max(16).optional(),
      })
      .strict(),
    result: result<Nothing>(),
  },
  /** From the host: a notice of the relay for the agent itself, such as the result of a command in its text. */
  RUN_NOTE: {
    /** The same id is the same notice. */
    params: z.object({ run: clientId, id: clientId, content: z.string().min(1) }).strict(),
    result: result<Nothing>(),
  },
  /**
   * Shows an agent's terminal, until CANCEL or the end of the connection: first what is on it (EVENT `terminal.output` with
   * `screen`), then what is written. One drives at a time: a viewer, or the person at the terminal the agent runs in.
   */
  TERMINAL_ATTACH: {
    params: z
      .object({
        agent: name,
        mode: z.enum(VIEW_MODES).default('watch'),
        columns,
        rows,
        /** Take over from the current writer, who keeps watching. */
        takeover: z.boolean().default(false),
        /** Hold its messages from the start, as with TERMINAL_HOLD. */
        hold: z.boolean().default(false),
        call,
      })
      .strict(),
    result: result<{ viewer: string } & TerminalState>(),
  },
  /** Keys of the viewer that drives. */
  TERMINAL_INPUT: { params: z.object({ viewer, data: bytes }).strict(), result: result<Nothing>() },
  TERMINAL_RESIZE: { params: z.object({ viewer, columns, rows }).strict(), result: result<Nothing>() },
  /** Holds messages while the viewer is attached, or releases them. */
  TERMINAL_HOLD: {
    params: z.object({ viewer, held: z.boolean().default(true) }).strict(),
    result: result<Nothing>(),
  },
  /** From the host: the person at the agent's own terminal types again, so the viewer that drove only watches now. */
  TERMINAL_RECLAIM: { params: z.object({ run: clientId, viewer }).strict(), result: result<Nothing>() },
  /** From the host: what the program wrote, or, for one viewer, a piece of what is on the screen. */
  TERMINAL_OUTPUT: {
    params: z
      .object({
        run: clientId,
        data: bytes,
        /** The viewer the screen is for. Default: all. */
        viewer: viewer.optional(),
        /** The first piece of a screen of this size: it replaces what was shown before. */
        screen: z.object({ columns, rows }).strict().optional(),
      })
      .strict(),
    result: result<Nothing>(),
  },
} as const;
