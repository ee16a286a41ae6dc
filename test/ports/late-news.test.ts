import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GONE_AFTER_MS, openCore, type Participant, type TestCore } from '../kit/core.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../kit/postgres.ts';
import { DistantBus, DistantDirectory } from './distant.ts';

/** Two daemons on one PostgreSQL, of which one hears late what the other has stored. */
let server: PostgresServer;
let bus: DistantBus;
let one: TestCore;
let other: TestCore;
/** At one daemon. */
let alice: Participant;
/** At the other. */
let bob: Participant;
let carol: Participant;

beforeAll(async () => {
  server = await startPostgres();
  const database = await server.createDatabase('late_news');
  bus = new DistantBus();
  const shared = { bus, directory: new DistantDirectory(new ManualClock(), GONE_AFTER_MS) };
  one = await openCore({ database, shared });
  await one.newWorkspace();
  other = await openCore({ database, shared });
});
afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await server.stop();
});
beforeEach(async () => {
  const [here] = one.relay.workspaces.list();
  const [there] = other.relay.workspaces.list();
  if (!here || !there) throw new Error('There is no workspace.');
  const round = crypto.randomUUID().slice(0, 8);
  alice = await one.join(here, `alice-${round}`);
  bob = await other.join(there, `bob-${round}`);
  carol = await other.join(there, `carol-${round}`);
  await expect.poll(() => one.relay.agents.find(here, carol.name)).toBeDefined();
  await expect.poll(() => other.relay.agents.find(there, alice.name)).toBeDefined();
});
// Whatever a failed test left held.
afterEach(() => bus.hold().lose());

const contents = (messages: Array<{ content: string }>) => messages.map(({ content }) => content);
const got = (participant: Participant) => contents(participant.delivered);

describe('a message whose news arrives after that of a later one', () => {
  it('is pushed once, before the later one', async () => {
    const { release } = bus.hold();
    await alice.send(bob.name, 'one');
    await carol.send(bob.name, 'two');
    await expect.poll(() => got(bob)).toEqual(['one', 'two']);
    await alice.send(bob.name, 'three');
    release();
    await expect.poll(() => got(bob)).toEqual(['one', 'two', 'three']);
    await alice.send(bob.name, 'four');
    await carol.send(bob.name, 'five');
    await expect.poll(() => got(bob)).toEqual(['one', 'two', 'three', 'four', 'five']);
  });

  it('is pushed if the later one was for somebody else', async () => {
    const { release } = bus.hold();
    await alice.send(bob.name, 'one');
    await bob.send(carol.name, 'Later, and not for Bob.');
    release();
    await expect.poll(() => got(bob)).toEqual(['one']);
    expect(got(carol)).toEqual(['Later, and not for Bob.']);
  });

  it('is pushed with the next one if its news is lost', async () => {
    const { lose } = bus.hold();
    await alice.send(bob.name, 'one');
    lose();
    await bob.send(carol.name, 'Later, and not for Bob.');
    await carol.send(bob.name, 'two');
    await expect.poll(() => got(bob)).toEqual(['one', 'two']);
  });

  it('is in order for those who follow the project', async () => {
    const owner = other.owner(bob.principal.workspace);
    await owner.request('TAIL', { after: (await carol.send(bob.name, 'zero')).seq });
    const { release } = bus.hold();
    await alice.send(bob.name, 'one');
    await carol.send(bob.name, 'two');
    release();
    await carol.send(bob.name, 'three');
    await expect
      .poll(() => owner.events)
      .toMatchObject(
        ['one', 'two', 'three'].map((content) => ({ type: 'message.created', message: { content } })),
      );
  });

  it('is not missed by a program that confirms the later one and reconnects', async () => {
    const { release } = bus.hold();
    await alice.send(bob.name, 'one');
    await carol.send(bob.name, 'two');
    await expect.poll(() => got(bob)).toEqual(['one', 'two']);
    const resumeAfter = bob.delivered.at(-1)?.seq ?? 0;
    await bob.request('RECEIVE', { paths: ['push'], resumeAfter });
    release();
    await alice.send(bob.name, 'three');
    await expect.poll(() => got(bob)).toEqual(['one', 'two', 'three']);
  });
});

describe('a project that another daemon created, before its news arrives', () => {
  const create = async () => {
    const { release } = bus.hold();
    const name = `shop-${bob.name}`;
    const { key } = await one.owner(alice.principal.workspace).request('WORKSPACE_CREATE', { name });
    return { name, key, release };
  };

  it('is opened by its key', async () => {
    const { name, key } = await create();
    expect(await other.relay.workspaces.authenticate(key)).toMatchObject({ workspace: { name } });
  });

  it('is opened by its name, and not created again under another one', async () => {
    const { name, release } = await create();
    expect(await other.relay.openProject('/elsewhere', name)).toMatchObject({
      created: false,
      workspace: { name },
    });
    release();
    await expect.poll(() => other.relay.workspaces.list().map((each) => each.name)).toContain(name);
    expect(other.relay.workspaces.list().map((each) => each.name)).not.toContain(`${name}-2`);
  });

  it('is opened by its directory', async () => {
    const root = `/projects/${bob.name}`;
    bus.hold();
    const opened = await one.relay.openProject(root, undefined);
    expect(opened.created).toBe(true);
    expect(await other.relay.openProject(root, undefined)).toMatchObject({
      created: false,
      workspace: { id: opened.workspace.id },
    });
  });
});
