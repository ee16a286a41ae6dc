import { describe, expect, it } from 'vitest';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { NOW, newWorld } from './world.ts';

export function audit(store: () => Store): void {
  describe('audit', () => {
    it('returns the newest records of a workspace first', async () => {
      const { workspace } = await newWorld(store(), 0);
      const other = await newWorld(store(), 0);
      const record = (action: string, workspaceId = workspace.id) => ({
        workspaceId,
        at: NOW,
        actor: 'Alice',
        action,
        subject: 'key-1',
        detail: action === 'second' ? { reason: 'lost', keys: [1, 2] } : undefined,
      });
      for (const action of ['first', 'second', 'third']) await store().appendAudit(record(action));
      await store().appendAudit(record('elsewhere', other.workspace.id));
      expect(await store().listAudit(workspace.id, 2)).toEqual([record('third'), record('second')]);
      expect(await store().listAudit(workspace.id, 100)).toHaveLength(3);
    });
  });
}
