import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isRelayError, type PromptInfo } from '@agent-relay/protocol';
import { connect, type Relay } from '@agent-relay/sdk/node';
import fc from 'fast-check';
import { hookCommand } from '../../packages/harness-driver/src/hooks/hook-command.ts';
import { HookServer } from '../../packages/harness-driver/src/hooks/hook-server.ts';
import { PromptLink } from '../../packages/harness-driver/src/host/prompt-link.ts';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { eventually } from '../kit/eventually.ts';
import { hostileTexts, UNSEEN } from '../kit/hostile-prompts.ts';
import { readWholeText } from '../kit/whole-text.ts';
import type { Fault } from './fault.ts';

const RUN = 'run_hostile';
/** Each time, the command line is tried as well. */
const CLI_EVERY = 20;

export const hostilePrompts: Fault = {
  name: 'hostile-prompts',
  what: 'permission prompts that hide their command, and other connections that report for the host',
  async run({ short, seed, say }) {
    const numRuns = short ? 60 : 2000;
    const asked = fc.sample(fc.tuple(commands(), hostileTexts()), { numRuns, seed });
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    await using setting = await Setting.open(daemon);
    const digests = new Set<string>();
    let tooLong = 0;
    for (const [at, [command, description]] of asked.entries()) {
      const { prompt, decided } = await setting.ask(command, description);
      if (prompt.tooLong) tooLong += 1;
      else checkText(prompt.text, command, description);
      if (at % CLI_EVERY === 0) await setting.checkCli(prompt);
      await setting.attack(prompt, [...digests].at(-1));
      digests.add(prompt.digest);
      const answer = prompt.tooLong || at % 2 === 0 ? 'deny' : 'allow';
      await setting.owner.prompts.answer(prompt, answer);
      assert.equal(await decided, answer);
      assert.deepEqual(await setting.owner.prompts.list(), []);
    }
    assert.equal(digests.size, numRuns);
    say(
      `${numRuns} prompts of real hook processes: command first and whole, ${tooLong} too long to be allowed`,
    );
    say(
      `${setting.refused} forged reports and stale answers refused, ${setting.shown} prompts read by the command line`,
    );
  },
};

/** Some are longer than a hook passes on. */
const commands = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 19, arbitrary: hostileTexts() },
    { weight: 1, arbitrary: hostileTexts().map((command) => command + 'x'.repeat(20_000)) },
  );

function checkText(shown: string, command: string, description: string): void {
  const { title, text: read, rest } = readWholeText(shown);
  assert.match(title, /^Run this command( \(.*\))?:$/);
  assert.equal(read, command);
  assert.equal(rest.length, description === '' ? 0 : 1);
  assert.ok(rest.every((line) => line.startsWith('Described by the agent as: ')));
  assert.doesNotMatch(shown, UNSEEN);
}

/** A host whose CLI runs the real hook, the person, and those who would like to speak for the host. */
class Setting implements AsyncDisposable {
  refused = 0;
  shown = 0;
  readonly owner: Relay;
  readonly #daemon: TestDaemon;
  readonly #hooks: HookServer;
  readonly #relays: Relay[];
  readonly #liars: readonly Relay[];

  private constructor(daemon: TestDaemon, hooks: HookServer, [owner, ...others]: [Relay, Relay, ...Relay[]]) {
    this.#daemon = daemon;
    this.#hooks = hooks;
    this.owner = owner;
    this.#relays = [owner, ...others];
    this.#liars = others.slice(1);
  }

  static async open(daemon: TestDaemon): Promise<Setting> {
    const enter = (name?: string) =>
      connect({ env: daemon.env, cwd: daemon.projectDirectory, ...(name && { name, paths: [] }) });
    const [owner, host, second, other] = [
      await enter(),
      await enter('Host'),
      await enter('Host'),
      await enter('Other'),
    ];
    const hooks = await HookServer.listen(join(daemon.directory, 'hook'));
    const program = { pid: process.pid, mark: 'none' };
    const run = { cli: 'claude', cwd: '/', host: program, program, startedAt: 1 };
    await host.request('HOST', { run: RUN, ...run });
    await other.request('HOST', { run: 'run_other', ...run });
    const { permission } = hooks;
    const link = new PromptLink(host, RUN, {
      prompt: () => permission.prompt,
      answer: async (key, answer) => permission.answer(key, answer),
    });
    hooks.onReport = () => link.look();
    return new Setting(daemon, hooks, [owner, host, second, other]);
  }

  /** Resolves when the owner is asked, with what the hook says that was decided. */
  async ask(command: string, description: string): Promise<{ prompt: PromptInfo; decided: Promise<string> }> {
    const hook = spawn('sh', ['-c', hookCommand(join(this.#daemon.directory, 'hook'), 'ask')]);
    const [said, ended] = [text(hook.stdout), once(hook, 'exit')];
    const asked = { tool_name: 'Bash', tool_input: { command, description } };
    hook.stdin.end(JSON.stringify({ hook_event_name: 'PermissionRequest', ...asked }));
    const prompt = await eventually(async () => (await this.owner.prompts.list())[0]);
    const decided = ended.then(async () => JSON.parse(await said).hookSpecificOutput.decision.behavior);
    return { prompt, decided };
  }

  /** Nobody but the host changes what is shown, and what was shown before allows nothing. */
  async attack(prompt: PromptInfo, before: string | undefined): Promise<void> {
    const forged = { key: 'forged', ask: { kind: 'command' as const, command: 'ls' } };
    const tries = this.#liars.flatMap((liar) =>
      [{ prompt: forged }, {}].map((report) => liar.request('PROMPT_REPORT', { run: RUN, ...report })),
    );
    if (before !== undefined)
      tries.push(this.owner.request('PROMPT_ANSWER', { agent: 'Host', digest: before, answer: 'allow' }));
    if (prompt.tooLong)
      tries.push(
        this.owner.request('PROMPT_ANSWER', { agent: 'Host', digest: prompt.digest, answer: 'allow' }),
      );
    for (const end of await Promise.allSettled(tries)) {
      assert.ok(
        end.status === 'rejected' && isRelayError(end.reason),
        'a forged report or a stale answer was taken',
      );
      this.refused += 1;
    }
    assert.deepEqual(await this.owner.prompts.list(), [prompt]);
  }

  async checkCli({ digest, text: shown }: PromptInfo): Promise<void> {
    const { stdout } = await this.#daemon.cli(['prompts', 'show', 'Host']);
    const [, second, ...rest] = stdout.split('\n');
    assert.equal(second, `digest ${digest}`);
    assert.equal(rest.join('\n'), `${shown}\n`);
    this.shown += 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hooks[Symbol.asyncDispose]();
    await Promise.all(this.#relays.map((relay) => relay.close()));
  }
}
