import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Conversation } from '../../../packages/relay/src/core/ports/store/conversations.ts';
import type { MessageDraft } from '../../../packages/relay/src/core/ports/store/messages.ts';
import type { SearchQuery } from '../../../packages/relay/src/core/ports/store/search.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { agentOf, defined, NOW, newWorld } from './world.ts';

type Three = [Agent, Agent, Agent];

export function search(store: () => Store): void {
  const world = async () => {
    const made = await newWorld(store(), 3);
    const [alice, bob, carol] = made.agents as Three;
    const direct = await made.dm(alice, bob);
    const say = (body: string, more: Partial<MessageDraft> = {}) =>
      store().appendMessage(made.draft(alice, direct, [bob], { body, ...more }));
    const find = async (text: string, viewer?: Agent, more: Partial<SearchQuery> = {}) =>
      store().search({ workspaceId: made.workspace.id, viewer: viewer?.id, text, limit: 100, ...more });
    const found = async (...args: Parameters<typeof find>) =>
      (await find(...args)).map(({ message }) => message.seq);
    return { ...made, alice, bob, carol, direct, say, find, found };
  };

  describe('search', () => {
    it('finds messages with all words, newest first, ignoring case and accents', async () => {
      const { say, found } = await world();
      const one = await say('The deploy of Zürich failed');
      const two = await say('zurich: DEPLOY again?');
      await say('deploying is something else');
      expect(await found('deploy zürich')).toEqual([two.seq, one.seq]);
      expect(await found('ZURICH failed')).toEqual([one.seq]);
      expect(await found('deploy', undefined, { limit: 1 })).toEqual([two.seq]);
      expect(await found('deplo')).toEqual([]);
    });

    it('finds phrases in double quotes, and treats anything else as plain text', async () => {
      const { say, found } = await world();
      const exact = await say('roll back the cache now');
      const apart = await say('the cache: back it up, then roll');
      expect(await found('"roll back"')).toEqual([exact.seq]);
      expect(await found('cache "back it"')).toEqual([apart.seq]);
      expect(await found('roll-back')).toEqual([exact.seq]);
      expect(await found('cache OR nothing')).toEqual([]);
      expect(await found('cache*')).toEqual([apart.seq, exact.seq]);
      for (const text of [
        '',
        '   ',
        '"',
        '""',
        '!!',
        "cache ' : & | ( NEAR",
        'scope:w1 cache',
        "'/w1' cache",
      ]) {
        expect(await found(text)).toEqual([]);
      }
    });

    it('finds words of languages without spaces, and long runs by their beginning', async () => {
      const { say, found } = await world();
      const chinese = await say('数据库已经备份');
      const key = await say(`key ${'abc123'.repeat(1000)} end`);
      expect(await found('备份')).toEqual([chinese.seq]);
      expect(await found('份备')).toEqual([]);
      expect(await found('abc123'.repeat(1000))).toEqual([key.seq]);
    });

    it('shows the words in context', async () => {
      const { say, find } = await world();
      await say(`${'before '.repeat(40)}the Kömodo dragon \ue000 ${'after '.repeat(60)}`);
      const [hit] = await find('komodo "dragon"');
      const shown = defined(hit).highlight;
      expect(shown).toMatch(/^…before .*before the \ue000Kömodo\ue001 \ue000dragon\ue001 \ufffd after.*…$/);
      expect(shown.length).toBeLessThan(300);
      await say('short wombat');
      expect((await find('wombat'))[0]?.highlight).toBe('short \ue000wombat\ue001');
    });

    it('can be filtered by conversation, sender and time', async () => {
      const { alice, bob, carol, dm, draft, say, found } = await world();
      const early = await say('pelican', { createdAt: NOW - 5 });
      const other = await dm(bob, carol);
      const late = await store().appendMessage(
        draft(carol, other, [bob], { body: 'pelican', createdAt: NOW + 5 }),
      );
      expect(await found('pelican', undefined, { conversationId: other.id })).toEqual([late.seq]);
      expect(await found('pelican', undefined, { senderId: alice.id })).toEqual([early.seq]);
      expect(await found('pelican', undefined, { since: NOW })).toEqual([late.seq]);
      expect(await found('pelican', undefined, { until: NOW })).toEqual([early.seq]);
      expect(await found('pelican', bob, { since: NOW - 5, until: NOW + 5 })).toEqual([late.seq, early.seq]);
    });

    it('finds only what the viewer may see', async () => {
      const { alice, bob, carol, draft, newChannel, broadcast, say, found } = await world();
      const other = await world();
      await other.say('heron');
      const direct = await say('heron');
      const build = await newChannel('build', alice);
      const post = (conversation: typeof build, kind: 'members' | 'workspace') =>
        store().appendMessage(draft(alice, conversation, [], { body: 'heron', audience: { kind } }));
      const posted = await post(build, 'members');
      const open = await post(await newChannel('general'), 'workspace');
      const toAll = await post(await broadcast(), 'workspace');
      const late = defined(await store().createAgent(agentOf(alice.workspaceId)));
      expect(await found('heron')).toEqual([toAll.seq, open.seq, posted.seq, direct.seq]);
      expect(await found('heron', alice)).toEqual([toAll.seq, open.seq, posted.seq, direct.seq]);
      expect(await found('heron', bob)).toEqual([toAll.seq, open.seq, direct.seq]);
      expect(await found('heron', carol)).toEqual([toAll.seq, open.seq]);
      expect(await found('heron', late)).toEqual([open.seq]);
      await store().addMember(build.id, carol.id, NOW);
      expect(await found('heron', carol)).toEqual([toAll.seq, open.seq, posted.seq]);
      const seen = await post(build, 'members');
      await store().removeMember(build.id, carol.id);
      expect(await found('heron', carol)).toEqual([seen.seq, toAll.seq, open.seq]);
      expect(await found('heron', carol, { conversationId: build.id })).toEqual([seen.seq]);
    });

    it('finds what an agent wrote to another project, for the agent and the recipients', async () => {
      const { alice, bob, draft, found } = await world();
      const other = await world();
      const { workspace: elsewhere, bob: stranger, carol: bystander } = other;
      const intoOther = (conversation: Conversation, more: Partial<MessageDraft> = {}) =>
        store().appendMessage(
          draft(alice, conversation, [stranger], { workspaceId: elsewhere.id, body: 'bittern', ...more }),
        );
      const general = await other.newChannel('general');
      const direct = await intoOther(await other.dm(alice, stranger));
      const posted = await intoOther(general, { audience: { kind: 'workspace' } });
      await other.say('bittern');
      await store().appendMessage(
        other.draft(stranger, general, [], { body: 'bittern', audience: { kind: 'workspace' } }),
      );
      for (const filter of [{}, { senderId: alice.id }, { since: NOW, until: NOW }])
        expect(await found('bittern', alice, filter)).toEqual([posted.seq, direct.seq]);
      expect(await found('bittern', alice, { conversationId: general.id })).toEqual([posted.seq]);
      expect(await found('bittern', bob)).toEqual([]);
      expect(await found('bittern')).toEqual([]);
      expect(await found('bittern', undefined, { senderId: alice.id })).toEqual([]);
      expect(await other.found('bittern', stranger, { senderId: alice.id })).toEqual([
        posted.seq,
        direct.seq,
      ]);
      expect(await other.found('bittern', bystander, { senderId: alice.id })).toEqual([posted.seq]);
      expect(await other.found('bittern', undefined)).toHaveLength(4);
      await store().redactMessage(posted.seq, NOW);
      expect(await found('bittern', alice)).toEqual([direct.seq]);
    });

    it('finds matches behind many that the viewer cannot see', async () => {
      const { alice, bob, carol, draft, direct, dm, found } = await world();
      const mine = await store().appendMessage(
        draft(alice, await dm(alice, carol), [carol], { body: 'ibis' }),
      );
      await Promise.all(
        Array.from({ length: 600 }, () =>
          store().appendMessage(draft(alice, direct, [bob], { body: 'ibis' })),
        ),
      );
      expect(await found('ibis', carol)).toEqual([mine.seq]);
      expect(await found('ibis', bob, { limit: 300 })).toHaveLength(300);
    });
  });
}
