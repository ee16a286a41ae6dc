import {
  type OperationParams,
  type OperationResult,
  PROMPT_TEXT_LIMIT,
  type PromptAnswer,
  RelayError,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Caller, Ongoing } from '../operations/caller.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import { type Principal, requireAgent } from '../principal.ts';
import { listPage } from '../reading/page.ts';
import type { Hosts } from './hosts.ts';
import { isPerson } from './permissions.ts';
import { promptDigest, promptText } from './prompt-text.ts';
import type { Runs } from './runs.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  agents: Agents;
  presence: Presence;
  workspaces: Workspaces;
  clock: Clock;
  newId: (word: string) => string;
}

interface OpenPrompt {
  /** By which its host knows it. */
  key: string;
  digest: string;
  /** As it is shown. */
  text: string;
  isTooLong: boolean;
  since: number;
  run: Run;
  host: Ongoing;
  /** It was answered, and the host has not reported the outcome yet. */
  isAnswering: boolean;
}

/** An answer that a host was told to pass on. */
interface Answering {
  host: Ongoing;
  settle: (isSent: boolean) => void;
}

/** A host passes an answer on at once. */
const ANSWER_MS = 5000;

/**
 * Permission prompts that can be answered through an interface of the agent's CLI: only by a person, and only the one the
 * person has seen. The host reports what is open, and compares again before it passes an answer on. What is shown is written and
 * digested here, from what the CLI was asked to do.
 */
export class Prompts {
  readonly #parts: Parts;
  readonly #open = new Map<number, OpenPrompt>();
  readonly #answers = new Map<string, Answering>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(principal: Principal, cursor: string | undefined): OperationResult<'PROMPT_LIST'> {
    requirePerson(principal);
    const open = [...this.#open].flatMap(([id, { digest, text, isTooLong, since, run }]) => {
      const agent = this.#parts.agents.byId(id);
      if (!agent || run.workspaceId !== principal.workspace.id) return [];
      const tooLong = isTooLong ? ({ tooLong: true } as const) : {};
      return [{ id, prompt: { agent: agent.name, digest, text, ...tooLong, since } }];
    });
    const { items: prompts, ...more } = listPage(open, cursor, ({ prompt }) => prompt);
    return { prompts, ...more };
  }

  async answer(
    principal: Principal,
    { agent: name, digest, answer }: OperationParams<'PROMPT_ANSWER'>,
  ): Promise<void> {
    requirePerson(principal);
    const { agents, workspaces } = this.#parts;
    const agent = agents.get(principal.workspace, name);
    const prompt = this.#open.get(agent.id);
    if (prompt?.digest !== digest || prompt.isAnswering) throw changed(agent);
    if (prompt.isTooLong && answer === 'allow') throw tooLong(agent);
    prompt.isAnswering = true;
    try {
      const audit = (action: string, detail: Record<string, unknown>) =>
        workspaces.audit(principal, principal.workspace, action, agent.name, { digest, answer, ...detail });
      // Before it is passed on: every decision is in the log.
      await audit('prompt.answer', {});
      const error = await this.#pass(agent, prompt, answer);
      if (error) await audit('prompt.answer_failed', { error: error.message });
      if (error) throw error;
    } finally {
      prompt.isAnswering = false;
    }
  }

  /** Resolves with why the answer was not passed on, or may not have been. */
  async #pass(agent: Agent, prompt: OpenPrompt, answer: PromptAnswer): Promise<RelayError | undefined> {
    const { hosts, newId } = this.#parts;
    const { run, host, key } = prompt;
    // Meanwhile another one may have opened, or another connection become the host.
    if (this.#open.get(agent.id) !== prompt) return changed(agent);
    if (!hosts.isHost(run, host)) return hostAway(agent);
    const request = newId('answer');
    const isSent = this.#whenAnswered(request, host);
    const command = { kind: 'answer', request, key, answer } as const;
    host.tell({ type: 'terminal.command', run: run.id, command });
    const outcome = await isSent;
    if (outcome === undefined) return hostAway(agent);
    if (!outcome) return changed(agent);
    if (this.#open.get(agent.id) === prompt) this.#close(agent);
    return undefined;
  }

  /** The host reports what is open now. */
  report(
    { principal, hosting }: Pick<Caller, 'principal' | 'hosting'>,
    { run: id, prompt, answered }: OperationParams<'PROMPT_REPORT'>,
  ): void {
    const agent = requireAgent(principal);
    requireUsersOwn(principal);
    const { run, host } = this.#parts.hosts.requireHost(agent, id, hosting);
    if (answered) this.#answered(host, answered);
    if (!prompt) {
      this.#close(agent);
      return;
    }
    const { key, ask } = prompt;
    const whole = promptText(ask);
    const text = whole ?? TOO_LONG;
    const digest = promptDigest(run.id, key, text);
    const before = this.#open.get(agent.id);
    if (before?.host === host && before.digest === digest) return;
    const since = this.#parts.clock.now();
    const isTooLong = whole === undefined;
    this.#open.set(agent.id, { key, digest, text, isTooLong, since, run, host, isAnswering: false });
    this.#tell(agent);
  }

  /** The program has ended. */
  ended({ agentId }: Run): void {
    const agent = this.#parts.agents.byId(agentId);
    if (agent) this.#close(agent);
    else this.#open.delete(agentId);
  }

  #close(agent: Agent): void {
    if (this.#open.delete(agent.id)) this.#tell(agent);
  }

  #tell({ workspaceId, name }: Agent): void {
    this.#parts.presence.tellOwner(workspaceId, { type: 'prompt.changed', agent: name });
  }

  /** Only the host that was told of the answer. */
  #answered(host: Ongoing, { request, isSent }: { request: string; isSent: boolean }): void {
    const answering = this.#answers.get(request);
    if (answering?.host === host) answering.settle(isSent);
  }

  /** Undefined if the host did not report in time. */
  #whenAnswered(request: string, host: Ongoing): Promise<boolean | undefined> {
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    const stop = this.#parts.clock.after(ANSWER_MS, () => resolve(undefined));
    this.#answers.set(request, { host, settle: resolve });
    return promise.finally(() => {
      stop();
      this.#answers.delete(request);
    });
  }
}

function requirePerson(principal: Principal): void {
  if (isPerson(principal)) return;
  throw new RelayError(
    'Forbidden',
    "Only people on the daemon's machine may see and answer permission prompts.",
    {
      next: 'Ask your user to answer it: agent-relay prompts list',
    },
  );
}

/** The program of another machine is not this user's: what it calls a prompt may be anything. */
function requireUsersOwn({ local, unverified }: Principal): void {
  if (local && !unverified) return;
  throw new RelayError(
    'Forbidden',
    "Only programs on the daemon's machine may show you their permission prompts.",
    {
      next: 'Answer the prompt in the terminal of the agent.',
    },
  );
}

const TOO_LONG = `It is too long to be shown here (the limit is ${PROMPT_TEXT_LIMIT} characters). Allow it only in its terminal.`;

const tooLong = ({ name }: Agent): RelayError =>
  new RelayError('PromptTooLong', `The prompt of ${name} is too long to be shown whole.`, {
    next: `Look at it in its terminal: agent-relay attach ${name}`,
  });

const changed = ({ name }: Agent): RelayError =>
  new RelayError('PromptChanged', `The prompt of ${name} has changed or was answered. Nothing was sent.`);

const hostAway = ({ name }: Agent): RelayError =>
  new RelayError('Timeout', `The terminal of ${name} does not answer. The prompt may still be open.`, {
    next: `Look at it: agent-relay attach ${name}`,
  });
