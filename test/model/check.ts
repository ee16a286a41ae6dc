import { expect } from 'vitest';
import type { Participant } from '../kit/core.ts';
import type { Said, Somebody } from './model.ts';
import { WORDS } from './steps.ts';
import { outcome, type Seat, type World } from './world.ts';

const ids = (messages: Array<{ id: string }>) => messages.map(({ id }) => id);
/** Which messages, and whether their sender is verified. */
const withTrust = (messages: Array<{ id: string; unverified?: boolean }>) =>
  messages.map(({ id, unverified = false }) => ({ id, unverified }));

/** Everyone can read exactly what the model says. */
export async function checkEverything(world: World): Promise<void> {
  const checks = world.seats.flatMap((seat) => [
    checkInbox(world, seat),
    checkHistory(world, seat),
    checkThreads(world, seat),
    checkSingleMessages(world, seat),
    ...WORDS.map((word) => world.checkSearch(seat, word)),
  ]);
  await Promise.all([...checks, checkOwner(world)]);
}

async function checkInbox({ model, now }: World, seat: Seat): Promise<void> {
  const { somebody, participant } = seat;
  const unread = model.unread(somebody, now);
  const inbox = async (input: object) =>
    (await participant.request('INBOX', { limit: 500, ...input })).messages;
  const narrowed = async (input: object) => ids(await inbox(input));
  expect(await participant.request('INBOX', { limit: 1 })).toMatchObject({ unread: unread.length });
  expect(withTrust(await inbox({})), 'unread').toEqual(withTrust(unread));
  expect(await narrowed({ unread_only: false }), 'inbox').toEqual(ids(model.delivered(somebody, now)));
  expect(await narrowed({ mentions: true }), 'mentions').toEqual(
    ids(unread.filter(({ mentioned }) => mentioned.has(somebody))),
  );
  expect(await narrowed({ channel: '#build' }), 'inbox of a channel').toEqual(
    ids(unread.filter(({ place }) => place.kind === 'channel' && place.channel === '#build')),
  );
  for (const sender of model.present) {
    expect(await narrowed({ from: sender.name }), `from ${sender.name}`).toEqual(
      ids(unread.filter((message) => message.sender === sender)),
    );
  }
  expect(withTrust(participant.delivered), 'pushed').toEqual(
    withTrust([
      ...seat.unread,
      ...model.said.slice(seat.since).filter(({ recipients }) => recipients.has(somebody)),
    ]),
  );
  const { conversations } = await participant.request('CONVERSATIONS', {});
  expect(conversations.map(({ last, ...rest }) => ({ ...rest, last: last.id }))).toEqual(
    model.conversations(somebody, now),
  );
}

/** Page by page, from the newest back. */
async function wholeHistory(reader: Participant, filters: object, limit: number) {
  const pages = [];
  for (let before: number | undefined, more = true; more; ) {
    const cursor = before === undefined ? {} : { before };
    const page = await reader.request('HISTORY', { limit, ...filters, ...cursor });
    pages.unshift(...page.messages);
    before = page.messages[0]?.seq;
    more = page.more;
  }
  return pages;
}

const shown = (message: Said) => {
  const byEmoji = Map.groupBy(message.reactions, ({ emoji }) => emoji);
  return {
    id: message.id,
    content: message.text,
    from: message.sender.name,
    unverified: message.unverified || undefined,
    thread: message.thread,
    redacted: message.isRedacted || undefined,
    reactions: [...byEmoji].map(([emoji, uses]) => ({ emoji, agents: uses.map(({ by }) => by.name) })),
  };
};

async function expectHistory(reader: Participant, filters: object, expected: Said[]): Promise<void> {
  const history = await wholeHistory(reader, filters, 7);
  const found = history.map(({ id, content, from, unverified, thread, redacted, reactions = [] }) => {
    return { id, content, from, unverified, thread, redacted, reactions };
  });
  expect(found, `history of ${reader.name || 'all'} with ${JSON.stringify(filters)}`).toEqual(
    expected.map(shown),
  );
}

async function checkHistory({ model, channels }: World, { somebody, participant }: Seat): Promise<void> {
  const visible = model.visible(somebody);
  await expectHistory(participant, {}, visible);
  for (const channel of channels) {
    if (model.isMember(somebody, channel)) {
      const inChannel = ({ place }: Said) => place.kind === 'channel' && place.channel === channel;
      await expectHistory(participant, { channel }, model.said.filter(inChannel));
    } else {
      await outcome(participant.request('HISTORY', { channel }), 'NotAMember');
      await outcome(participant.request('SEARCH', { channel, query: 'amber' }), 'NotAMember');
    }
  }
  for (const other of model.present) {
    const involved = ({ sender, recipients }: Said) => sender === other || recipients.has(other);
    await expectHistory(participant, { agent: other.name }, visible.filter(involved));
  }
}

async function checkThreads({ model }: World, { somebody, participant }: Seat): Promise<void> {
  const visible = model.visible(somebody);
  for (const thread of new Set(model.said.flatMap((message) => message.thread ?? []))) {
    const inThread = visible.filter((message) => message.id === thread || message.thread === thread);
    const refusal = inThread.length === 0 ? 'MessageNotFound' : undefined;
    const read = await outcome(participant.request('THREAD', { id: thread, limit: 500 }), refusal);
    expect(ids(read?.messages ?? []), `thread ${thread}`).toEqual(ids(inThread));
  }
}

/** Each message by its id: seen with its readers, or not there at all. */
async function checkSingleMessages({ model }: World, { somebody, participant }: Seat): Promise<void> {
  const names = (agents: Iterable<Somebody>) => [...agents].map(({ name }) => name).sort();
  const check = async (message: Said) => {
    const refusal = model.sees(somebody, message) ? undefined : 'MessageNotFound';
    await outcome(participant.request('TRACE', { id: message.id }), refusal);
    const readers = await outcome(participant.request('READERS', { message: message.id }), refusal);
    if (!readers) return;
    const unread = [...message.recipients].filter((agent) => !message.read.has(agent));
    expect(readers.readers.map(({ agent }) => agent).sort()).toEqual(names(message.read));
    expect(readers.unread.sort()).toEqual(names(unread));
  };
  await Promise.all(model.said.map(check));
}

async function checkOwner(world: World): Promise<void> {
  const { owner, model } = world;
  await expectHistory(owner, {}, model.said);
  for (const word of WORDS) {
    const { hits } = await owner.request('SEARCH', { query: word, limit: 100 });
    expect(ids(hits.map(({ message }) => message))).toEqual(world.found(undefined, word));
  }
}
