import { type OperationParams, type OperationResult, RelayError, safeText } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Principal } from '../principal.ts';
import { listPage } from '../reading/page.ts';
import type { Hosts } from './hosts.ts';
import { isPerson } from './permissions.ts';
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
  digest: string;
  text: string;
  since: number;
  run: Run;
  /** It was answered, and the host has not reported the outcome yet. */
  isAnswering: boolean;
}

/** A host passes an answer on at once. */
const ANSWER_MS = 5000;

/**
 * Permission prompts that can be answered through an interface of the agent's CLI: only by a person, and only the one the
 * person has seen. The host reports what is open, and compares again before it passes an answer on.
 */
export class Prompts {
  readonly #parts: Parts;
  readonly #open = new Map<number, OpenPrompt>();
  readonly #answers = new Map<string, (isSent: boolean) => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(principal: Principal, cursor: string | undefined): OperationResult<'PROMPT_LIST'> {
    requirePerson(principal);
    const open = [...this.#open].flatMap(([id, { digest, text, since, run }]) => {
      const agent = this.#parts.agents.byId(id);
      if (!agent || run.workspaceId !== principal.workspace.id) return [];
      return [{ id, prompt: { agent: agent.name, digest, text, since } }];
    });
    const { items: prompts, ...more } = listPage(open, cursor, ({ prompt }) => prompt);
    return { prompts, ...more };
  }

  async answer(
    principal: Principal,
    { agent: name, digest, answer }: OperationParams<'PROMPT_ANSWER'>,
  ): Promise<void> {
    requirePerson(principal);
    const { agents, workspaces, hosts, newId } = this.#parts;
    const agent = agents.get(principal.workspace, name);
    const prompt = this.#open.get(agent.id);
    if (prompt?.digest !== digest || prompt.isAnswering) throw changed(agent);
    prompt.isAnswering = true;
    try {
      // Before it is passed on: every decision is in the log.
      await workspaces.audit(principal, principal.workspace, 'prompt.answer', agent.name, { digest, answer });
      const request = newId('answer');
      const command = { kind: 'answer', request, digest, answer } as const;
      const isSent = this.#whenAnswered(request);
      const event = { type: 'terminal.command', run: prompt.run.id, command } as const;
      if (!hosts.tell(prompt.run, event)) throw hostAway(agent);
      const outcome = await isSent;
      if (outcome === undefined) throw hostAway(agent);
      if (!outcome) throw changed(agent);
      if (this.#open.get(agent.id) === prompt) this.#close(agent);
    } finally {
      prompt.isAnswering = false;
    }
  }

  /** The host reports what is open now. */
  report(agent: Agent, { run: id, prompt, answered }: OperationParams<'PROMPT_REPORT'>): void {
    const run = this.#parts.runs.live(agent.id);
    if (run?.id !== id) throw new RelayError('NotRunning', `${agent.name} has no run ${id}.`);
    if (answered) this.#answers.get(answered.request)?.(answered.isSent);
    if (!prompt) {
      this.#close(agent);
      return;
    }
    const { digest } = prompt;
    const text = safeText(prompt.text);
    const before = this.#open.get(agent.id);
    if (before?.run === run && before.digest === digest && before.text === text) return;
    const since = this.#parts.clock.now();
    this.#open.set(agent.id, { digest, text, since, run, isAnswering: false });
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

  /** Undefined if the host did not report in time. */
  #whenAnswered(request: string): Promise<boolean | undefined> {
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    const stop = this.#parts.clock.after(ANSWER_MS, () => resolve(undefined));
    this.#answers.set(request, resolve);
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

const changed = ({ name }: Agent): RelayError =>
  new RelayError('PromptChanged', `The prompt of ${name} has changed or was answered. Nothing was sent.`);

const hostAway = ({ name }: Agent): RelayError =>
  new RelayError('Timeout', `The terminal of ${name} does not answer. The prompt may still be open.`, {
    next: `Look at it: agent-relay attach ${name}`,
  });
