import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processMark } from '@agent-relay/platform/processes';
import { isRelayError } from '@agent-relay/protocol';
import { connect, type Relay } from '@agent-relay/sdk/node';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { eventually } from '../kit/eventually.ts';
import { newRepository } from '../kit/repository.ts';
import { notesIn, SCRIPTED_CLI } from '../kit/scripted-cli.ts';
import { type Fault, seededRandom, within } from './fault.ts';
import { auditedIn, filesOf, linesOf, noteHosts, processesOf } from './kit/leftovers.ts';

/** Ends what hangs; a restart on a busy machine takes seconds. */
const DEADLINE_MS = 60_000;

const CLIS = {
  scripted: {
    ...SCRIPTED_CLI.scripted,
    conversation: { begin: ['--begin', '{session}'], resume: ['--resume', '{session}'] },
  },
};

/** What is going on when the daemon is killed, and how long it takes at most. */
const KINDS = {
  spawn: 250,
  'spawn with a worktree': 400,
  release: 500,
  resume: 250,
  answer: 10,
} as const;
type Kind = keyof typeof KINDS;

/** A process that lives as long as this fault. */
const OURSELVES = { pid: process.pid, mark: processMark(process.pid) ?? 'gone' };

interface Scene {
  daemon: TestDaemon;
  boss: Relay;
  fred: Prompted;
  random: () => number;
  /** Where each program notes that it runs. */
  programs: string;
  /** Where each host notes that it runs. */
  hosts: string;
}

/** `kill -9` in the middle of what starts and ends programs. */
export const spawnKills: Fault = {
  name: 'spawn-kills',
  what: 'kill -9 during spawns, releases, resumes and answers: nothing left over, nothing unrecorded',
  async run({ short, seed, say }) {
    const kills = short ? 10 : 200;
    const random = seededRandom(seed);
    const notes = mkdtempSync(join(tmpdir(), 'relay-notes-'));
    const [programs, hosts] = [join(notes, 'programs'), join(notes, 'hosts')];
    try {
      await using daemon = await startDaemon({
        settings: { clis: CLIS, goneAfterMs: 500 },
        env: noteHosts(hosts),
      });
      await newRepository(daemon.projectDirectory);
      await using boss = await enter(daemon, { name: 'Boss' });
      await using fred = await Prompted.enter(daemon);
      const scene: Scene = { daemon, boss, fred, random, programs, hosts };
      const outcomes = new Map<string, number>();
      // What the first worker leaves, all leave: directories, not files of its own.
      await boss.workers.spawn('First', 'scripted', { worktree: true, env: environment(scene) });
      await boss.workers.release('First');
      const before = filesOf(daemon);
      const kinds = Object.keys(KINDS) as Kind[];
      for (let kill = 0; kill < kills; kill++) {
        const kind = kinds[kill % kinds.length] ?? 'spawn';
        const what = `kill ${kill + 1}, during ${kind}`;
        const outcome = await within(DEADLINE_MS, what, killDuring(kind, `W${kill + 1}`, scene));
        outcomes.set(`${kind}: ${outcome}`, (outcomes.get(`${kind}: ${outcome}`) ?? 0) + 1);
        await within(DEADLINE_MS, `the checks after ${what}`, check(scene, before, what));
      }
      for (const [outcome, times] of [...outcomes].sort()) say(`${times} × ${outcome}`);
      const [started, ran] = [linesOf(hosts).length, (await notesIn(programs)).length];
      say(`${kills} kills, ${started} hosts and ${ran} programs lived: none left, each recorded`);
    } finally {
      rmSync(notes, { recursive: true, force: true });
    }
  },
};

const enter = (daemon: TestDaemon, who: { name: string; type?: 'human' }): Promise<Relay> =>
  connect({ ...who, project: daemon.project, env: daemon.env, reconnect: { minDelayMs: 5, maxDelayMs: 20 } });

const environment = ({ daemon, programs }: Scene): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: daemon.directory,
  SCRIPTED_LOG: programs,
});

/** Resolves with how the request ended, after the daemon was killed during it and started again. */
async function killDuring(kind: Kind, name: string, scene: Scene): Promise<string> {
  const { daemon, random } = scene;
  const request = await prepare(kind, name, scene);
  const outcome = request().then(
    () => 'answered',
    (error: unknown) => {
      if (!isRelayError(error)) throw error;
      // The others say what became of it.
      return error.code === 'Connection'
        ? error.code
        : `${error.code}: ${error.message.replaceAll(name, 'W')}`;
    },
  );
  await new Promise((resolve) => setTimeout(resolve, random() ** 2 * KINDS[kind]));
  await daemon.kill9();
  await daemon.start();
  return await outcome;
}

/** Everything the request needs; returns how to make it. */
async function prepare(kind: Kind, name: string, scene: Scene): Promise<() => Promise<unknown>> {
  const { boss, fred, random } = scene;
  const env = environment(scene);
  const spawn = (worktree: boolean, waitMs = 0) =>
    boss.workers.spawn(name, 'scripted', { env, waitMs, worktree, ...(worktree && { setup: 'sleep 0.1' }) });
  if (kind === 'spawn') return () => spawn(false);
  if (kind === 'spawn with a worktree') return () => spawn(true);
  if (kind === 'answer') return await fred.asks(name);
  if (kind === 'release') {
    // Sometimes its host has not said anything yet.
    await spawn(random() < 0.3, random() < 0.5 ? 20_000 : 0);
    return () => boss.workers.release(name);
  }
  await spawn(false, 20_000);
  const program = (await notesIn(scene.programs)).findLast(({ agent }) => agent === name);
  process.kill(Number(program?.pid), 'SIGKILL');
  await eventually(async () => (await runOf(boss, name))?.endedAt);
  return () => boss.workers.resume(name, { env, waitMs: 0 });
}

const runOf = async (relay: Relay, name: string) =>
  (await relay.who({ includeOffline: true })).find((agent) => agent.name === name)?.run;

/** Whether its host is there, or has ended. */
async function isSettled(relay: Relay, name: string): Promise<boolean> {
  const agent = (await relay.who({ includeOffline: true })).find((one) => one.name === name);
  return agent?.status !== 'offline' || agent.run?.endedAt !== undefined;
}

async function check(
  { daemon, boss, fred, hosts, programs, random }: Scene,
  before: string[],
  what: string,
): Promise<void> {
  const agents = (await boss.who({ includeOffline: true })).filter(({ run }) => run?.spawned);
  for (const { name } of agents) {
    // Sometimes its host is not there yet.
    if (random() < 0.5) await eventually(() => isSettled(boss, name));
    // Each name is of an agent that can be released.
    await boss.workers.release(name);
  }
  const left = (await boss.who({ includeOffline: true })).map(({ name }) => name).sort();
  assert.deepEqual(left, ['Boss', 'Fred', 'Pat'], `agents left after ${what}`);
  await eventually(() => processesOf(daemon).length === 0, 15_000).catch(() =>
    assert.deepEqual(processesOf(daemon), [], `processes left after ${what}`),
  );
  assert.deepEqual(filesOf(daemon), before, `files left after ${what}`);
  const begun = auditedIn(daemon, 'agent.spawned', 'agent.resumed');
  const entries = [...begun.values()].reduce((sum, count) => sum + count, 0);
  assert(linesOf(hosts).length <= entries, `more hosts lived than were recorded, after ${what}`);
  for (const [name, ran] of Object.entries(
    Object.groupBy(await notesIn(programs), ({ agent }) => String(agent)),
  ))
    assert((ran?.length ?? 0) <= (begun.get(name) ?? 0), `${name} ran unrecorded, after ${what}`);
  const answered = auditedIn(daemon, 'prompt.answer').get('Fred') ?? 0;
  assert(fred.answers <= answered, `an answer to a prompt was passed on unrecorded, after ${what}`);
}

/** The host of an agent that asks for permission, and the person who answers. */
class Prompted {
  answers = 0;
  readonly #host: Relay;
  readonly #person: Relay;
  readonly #run = { run: 'run_fred', host: OURSELVES, program: OURSELVES };
  #open: string | undefined;

  private constructor(host: Relay, person: Relay) {
    this.#host = host;
    this.#person = person;
    host.on('terminal.command', ({ command }) => {
      if (command.kind !== 'answer') return;
      this.answers += 1;
      this.#open = undefined;
      const answered = { request: command.request, isSent: true };
      host.request('PROMPT_REPORT', { run: this.#run.run, answered }).catch(ignoreRelayErrors);
    });
    host.on('connected', () => void this.#tell().catch(ignoreRelayErrors));
  }

  static async enter(daemon: TestDaemon): Promise<Prompted> {
    const host = await enter(daemon, { name: 'Fred' });
    return new Prompted(host, await enter(daemon, { name: 'Pat', type: 'human' }));
  }

  /** Opens a prompt; returns how to allow it. */
  async asks(id: string): Promise<() => Promise<unknown>> {
    this.#open = id;
    await this.#tell();
    const shown = await eventually(async () =>
      (await this.#person.prompts.list()).find(({ text }) => text.includes(id)),
    );
    return () => this.#person.prompts.answer(shown, 'allow');
  }

  async #tell(): Promise<void> {
    const id = this.#open;
    await this.#host.request('HOST', { ...this.#run, cli: 'codex', cwd: '/', startedAt: 1 });
    const prompt =
      id === undefined ? {} : { prompt: { key: id, ask: { kind: 'command' as const, command: id } } };
    await this.#host.request('PROMPT_REPORT', { run: this.#run.run, ...prompt });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.close();
    await this.#person.close();
  }
}

function ignoreRelayErrors(error: unknown): void {
  if (!isRelayError(error)) throw error;
}
