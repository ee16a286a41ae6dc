import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Run } from '../../../packages/relay/src/core/ports/store/runs.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { agentOf, defined, NOW, newWorld, recordOf } from './world.ts';

let made = 0;
const runOf = ({ id: agentId, workspaceId }: Agent, changes: Partial<Run> = {}): Run => ({
  id: `run_${++made}_${workspaceId}`,
  workspaceId,
  agentId,
  request: undefined,
  spawned: true,
  parentId: undefined,
  account: undefined,
  cli: 'claude',
  model: undefined,
  args: [],
  choices: undefined,
  cwd: '/work/“demo”',
  worktree: undefined,
  version: undefined,
  session: undefined,
  host: undefined,
  program: undefined,
  startedAt: NOW,
  readyAt: undefined,
  endedAt: undefined,
  exit: undefined,
  ended: undefined,
  result: undefined,
  ...changes,
});

export function runs(store: () => Store): void {
  describe('runs', () => {
    it('are stored with their changes', async () => {
      const { workspace, agents } = await newWorld(store(), 2);
      const [alice, bob] = agents as [Agent, Agent];
      const first = runOf(alice);
      await store().saveRun(first);
      expect(await store().latestRuns(workspace.id)).toEqual([first]);
      const whole: Run = {
        ...first,
        request: 'c1-abc',
        parentId: bob.id,
        account: `agent ${bob.id}`,
        model: 'opus',
        args: ['--flag', 'a "word"'],
        choices: { native: true, patterns: false },
        worktree: { path: '/data/worktrees/demo/Bob', branch: 'relay/Bob', repository: '/work/demo/.git' },
        version: '2.1.0',
        session: 'abc',
        host: { pid: 1, mark: '77' },
        program: { pid: 2, mark: '78' },
        readyAt: NOW + 1,
        endedAt: NOW + 2,
        exit: { code: 0, signal: 'SIGHUP' },
        ended: 'released',
        result: { data: { ok: [1] }, final: true, at: NOW },
      };
      await store().saveRun(whole);
      expect(await store().latestRuns(workspace.id)).toEqual([whole]);
    });

    it('are stored together with their agent and the records of both, or not at all', async () => {
      const { workspace, agents } = await newWorld(store(), 1);
      const { agentId: _, ...run } = runOf(agents[0] as Agent);
      const records = [recordOf(workspace.id), { ...recordOf(workspace.id), action: 'second' }];
      const wanted = agentOf(workspace.id, 'Worker');
      const worker = defined(await store().createAgent(wanted, { records, run }));
      expect(await store().latestRuns(workspace.id)).toEqual([{ ...run, agentId: worker.id }]);
      expect(await store().listAudit(workspace.id, 10)).toEqual(records.toReversed());
      // The name is taken by now.
      const again = { records, run: { ...run, id: `${run.id}_again` } };
      expect(await store().createAgent({ ...wanted, tokenHash: 'other' }, again)).toBeUndefined();
      expect(await store().latestRuns(workspace.id)).toHaveLength(1);
      expect(await store().listAudit(workspace.id, 10)).toHaveLength(2);
      const ended = { ...run, agentId: worker.id, endedAt: NOW };
      await store().saveRun(ended, { ...recordOf(workspace.id), action: 'third' });
      expect(await store().latestRuns(workspace.id)).toEqual([ended]);
      expect((await store().listAudit(workspace.id, 1))[0]?.action).toBe('third');
    });

    it('are listed per agent that was not removed, only the latest', async () => {
      const { workspace, agents } = await newWorld(store(), 3);
      const other = await newWorld(store(), 1);
      const [alice, bob, carol] = agents as [Agent, Agent, Agent];
      const [late, early] = [runOf(alice, { startedAt: NOW + 5 }), runOf(alice)];
      const [ofBob, ofCarol] = [runOf(bob, { spawned: false }), runOf(carol)];
      for (const run of [late, early, ofBob, ofCarol, runOf(other.agents[0] as Agent)])
        await store().saveRun(run);
      await store().removeAgent(carol.id, NOW);
      expect(await store().latestRuns(workspace.id)).toEqual([late, ofBob]);
    });

    it('are deleted with other old records, unless they still run', async () => {
      const { workspace, agents } = await newWorld(store(), 2);
      const [alice, bob] = agents as [Agent, Agent];
      const running = runOf(bob, { startedAt: 1 });
      for (const run of [runOf(alice, { startedAt: 1, endedAt: 2 }), running]) await store().saveRun(run);
      while ((await store().deleteMessagesBefore(4, 100)) > 0);
      expect(await store().latestRuns(workspace.id)).toEqual([running]);
    });

    it('are deleted with their workspace', async () => {
      const { workspace, agents } = await newWorld(store(), 1);
      await store().saveRun(runOf(agents[0] as Agent));
      await store().removeWorkspace(workspace, NOW);
      expect(await store().latestRuns(workspace.id)).toEqual([]);
    });
  });
}
