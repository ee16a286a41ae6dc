import { describe, expect, it } from 'vitest';
import type { PageSession } from '../../../packages/relay/src/core/ports/store/page-sessions.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { NOW, newWorld, unique } from './world.ts';

export function pageSessions(store: () => Store): void {
  describe('page sessions', () => {
    const add = async (fields: Partial<PageSession> = {}): Promise<PageSession> => {
      const { workspace } = await newWorld(store(), 0);
      const session: PageSession = {
        id: unique('ps'),
        workspaceId: workspace.id,
        hash: 'ab12',
        browser: undefined,
        createdAt: NOW,
        usedAt: NOW,
        expiresAt: NOW + 1000,
        ...fields,
      };
      await store().addPageSession(session);
      return session;
    };
    const idsIn = async () => (await store().listPageSessions()).map(({ id }) => id);

    it('are found as they were added, and listed', async () => {
      const session = await add({ browser: 'Firefox' });
      expect(await store().findPageSession(session.id)).toEqual(session);
      expect(await store().listPageSessions()).toContainEqual(session);
      expect(await store().findPageSession('nobody')).toBeUndefined();
    });

    it('are removed one by one, each once', async () => {
      const [first, second] = [await add(), await add()];
      expect(await store().removePageSessions([first.id, 'nobody'])).toEqual([first]);
      expect(await store().removePageSessions([first.id])).toEqual([]);
      expect(await idsIn()).toContain(second.id);
    });

    it('end when they expire or were not used', async () => {
      const lasting = await add({ expiresAt: NOW + 9000, usedAt: NOW });
      const expired = await add({ expiresAt: NOW + 500, usedAt: NOW });
      const unused = await add({ expiresAt: NOW + 9000, usedAt: NOW - 100 });
      await store().touchPageSessions([lasting.id], NOW + 500);
      const ended = await store().removeEndedPageSessions(NOW + 500, NOW);
      expect(ended).toEqual(expect.arrayContaining([expired, unused]));
      expect(await store().findPageSession(lasting.id)).toEqual({ ...lasting, usedAt: NOW + 500 });
      expect(await idsIn()).not.toContain(expired.id);
    });

    it('are deleted with their workspace', async () => {
      const { workspace } = await newWorld(store(), 0);
      const session = await add({ workspaceId: workspace.id });
      await store().removeWorkspace(workspace, NOW);
      expect(await store().findPageSession(session.id)).toBeUndefined();
    });
  });
}
