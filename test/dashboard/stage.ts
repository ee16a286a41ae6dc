import { fileURLToPath } from 'node:url';
import { connect, personName, type Relay, type TransferRecord } from '@agent-relay/sdk/node';
import { tool } from '../gateway/kit/gateway-kit.ts';
import { startWebSocketServer } from '../gateway/kit/websocket-server.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { startDaemonWithServers } from '../kit/daemon-with-servers.ts';

/** Where to go for each picture, and what is seen there. */
export const PLACES = {
  overview: ['', 'Who talks to whom'],
  channel: ['/channel/release', '20 of 20 refund cases pass'],
  direct: ['/between/Backend,Tests', '14 of 20 cases pass'],
  agent: ['/agent/Backend', 'Recent messages'],
  messages: ['/messages', 'Between agents'],
  terminals: ['/terminal', 'Needs you'],
  terminal: ['/terminal/Orders', 'Allow it?'],
  tools: ['/tools/Reviewer.review', 'strictness'],
  invocations: ['/invocations', 'shop.approve'],
  servers: ['/servers', 'search.example'],
  search: ['/search/checkout', '3 found'],
  settings: ['/settings', 'This browser'],
} as const;

/** A small team at work, for pictures of the dashboard. */
const TEAM = [
  { name: 'Planner', cli: 'claude', task: 'Ship release 7 of the shop', lead: true },
  { name: 'Backend', cli: 'codex', task: 'Move checkout to the new payment API', parent: 'Planner' },
  { name: 'Frontend', cli: 'claude', task: 'Rework the cart for small screens', parent: 'Planner' },
  { name: 'Tests', cli: 'gemini', task: 'Cover refunds end to end', parent: 'Planner' },
  { name: 'Docs', cli: 'opencode', task: 'Write the migration guide', parent: 'Planner' },
  { name: 'Reviewer', cli: 'claude', task: 'Review what the others finish' },
] as const;

type Line = [from: string, to: string, text: string, more?: { kind?: 'question' | 'status' | 'directive' }];

const TALK: Line[] = [
  [
    'Planner',
    '#release',
    'Release 7 is branched. Plan:\n\n1. **Backend** moves checkout to `payments/v2`\n2. **Frontend** reworks the cart\n3. **Tests** covers refunds end to end\n\nTell me when something blocks you.',
  ],
  [
    'Planner',
    'Backend',
    'Please start with `createPayment`. The old call stays behind a flag until Friday.',
    { kind: 'directive' },
  ],
  ['Backend', 'Planner', 'On it. The new API wants an idempotency key on every call; I take the order id.'],
  ['Planner', 'Tests', 'Refunds first, then partial refunds.', { kind: 'directive' }],
  ['Frontend', '#release', 'The cart works down to 320 px. Screens are in `docs/cart`.'],
  ['Tests', 'Backend', 'Does `refund` return before the provider confirms it?', { kind: 'question' }],
  [
    'Backend',
    'Tests',
    'Yes: it answers `pending`, and a webhook follows. In tests:\n\n```ts\nawait provider.confirm(refund.id);\nexpect(await refunds.get(refund.id)).toMatchObject({ state: "done" });\n```',
  ],
  ['Tests', 'Backend', 'Got it. 14 of 20 cases pass.', { kind: 'status' }],
  ['Docs', 'Planner', 'Draft of the migration guide is ready for you.'],
  [
    'Reviewer',
    'Frontend',
    'Two notes on the cart: the total jumps while it loads, and the button needs a label.',
  ],
  ['Frontend', 'Reviewer', 'Both fixed, look again please.'],
  ['Backend', '#release', 'Checkout runs on `payments/v2` behind the flag. p95 went from 420 ms to 310 ms.'],
  ['Reviewer', '#release', 'Reviewed the cart: good to go.'],
  ['Tests', '#release', '@Backend 20 of 20 refund cases pass. The suite takes 38 s.'],
  ['Planner', 'Frontend', 'Then please take the order history next.', { kind: 'directive' }],
  ['Frontend', 'Planner', 'Started.'],
];

/** A CLI with a terminal to look at. */
const CREW = {
  command: [process.execPath, fileURLToPath(new URL('../kit/programs/pictured-cli.js', import.meta.url))],
  screen: { composer: '^you> ?', dialog: '\\[y/n\\]' },
};

const argument = (description: string) => ({ type: 'string', description });
const POSTGRES = [
  tool('query', {
    description: 'Runs a read-only query and returns its rows',
    inputSchema: {
      type: 'object',
      properties: { sql: argument('One SELECT statement'), limit: { type: 'integer', default: 100 } },
      required: ['sql'],
    },
  }),
  tool('explain', { description: 'Shows how a query would be run' }),
];
const BROWSER = [
  tool('open', { description: 'Opens a page and waits until it has loaded' }),
  tool('screenshot', { description: 'Takes a picture of the page' }),
];

export interface Stage extends AsyncDisposable {
  daemon: TestDaemon;
  owner: Relay;
  /** The page of the daemon, without a path. */
  url: string;
}

const HOUR_MS = 3_600_000;

/** A daemon with a project in which a team has talked for the last hour, and some wait for their person. */
export async function openStage(): Promise<Stage> {
  const records = await rehearse();
  const servers = new AsyncDisposableStack();
  const daemon = await startDaemonWithServers(
    [
      { name: 'postgres', url: (await servers.use(await startWebSocketServer(POSTGRES))).url, pin: 'strict' },
      { name: 'browser', url: (await servers.use(await startWebSocketServer(BROWSER))).url },
      { name: 'search', url: 'https://search.example/mcp', lazy: true },
    ],
    { projectName: 'shop', settings: { governor: { emptyTurns: 3 }, clis: { crew: CREW } } },
  );
  const connected: Relay[] = [];
  const enter = async (options: Parameters<typeof connect>[0]) => {
    const relay = await connect({
      socketPath: daemon.socketPath,
      project: 'shop',
      env: daemon.env,
      ...options,
    });
    connected.push(relay);
    return relay;
  };
  const owner = await enter({});
  await owner.request('IMPORT', { records: spread(records, Date.now()) });
  await addTokens(owner, daemon);
  const team = new Map<string, Relay>();
  for (const { name, cli, task } of TEAM) {
    if (name === 'Docs') continue;
    const relay = await enter({ name, cli, task, paths: ['pty'] });
    await relay.paths.ready('pty');
    team.set(name, relay);
  }
  const as = (name: string) => team.get(name) as Relay;
  await owner.workers.spawn('Orders', 'crew', { task: 'Build the order history page' });
  await as('Tests').paths.waits('pty', { code: 'busy' });
  await as('Planner').paths.waits('pty', { code: 'busy' });
  await as('Reviewer').paths.waits('pty', { code: 'usage_limit', until: Date.now() + 2 * HOUR_MS });
  await as('Backend').send(
    personName(),
    'The old payment call still has 3 users behind the flag. Remove it with release 7, or keep it one more release?',
    { kind: 'question' },
  );
  await offer(as('Reviewer'), as('Planner'), as('Tests'));
  await as('Reviewer').send('Backend', 'Thanks!');
  await as('Backend').send('Reviewer', 'Thank you!');
  await as('Reviewer').send('Backend', 'Thanks again!');
  await as('Backend').send('Reviewer', 'You are welcome!');
  return {
    daemon,
    owner,
    url: `http://${daemon.http}`,
    async [Symbol.asyncDispose]() {
      await owner.workers.release('Orders');
      for (const relay of connected) await relay.close();
      await daemon[Symbol.asyncDispose]();
      await servers.disposeAsync();
    },
  };
}

/** What Reviewer does for the others when it is asked, and what came of it. */
async function offer(reviewer: Relay, planner: Relay, tests: Relay): Promise<void> {
  await reviewer.exposeTool({
    name: 'review',
    description: 'Reads a change and says what to correct',
    input: {
      type: 'object',
      properties: {
        branch: argument('The branch to read'),
        focus: { type: 'array', items: { type: 'string' }, description: 'What to look at first' },
        strictness: { enum: ['quick', 'usual', 'thorough'] },
      },
      required: ['branch'],
    },
    handler: () => 'Good to go.',
  });
  await reviewer.registerAction({
    name: 'shop.approve',
    description: 'Approves a release after its checks',
    input: { type: 'object', properties: { version: argument('The version') }, required: ['version'] },
    handler: ({ input }) => {
      if ((input as { version: string }).version === '6.9') throw new Error('Two checks of 6.9 are red.');
      return { approved: true, checks: 214, by: 'Reviewer' };
    },
  });
  await tests.invoke('shop.approve', { version: '6.9' }, { wait: true });
  await planner.invoke('shop.approve', { version: '7.0-rc1' }, { wait: true });
}

/** Agents of an import have no token here: give each one. */
async function addTokens(owner: Relay, daemon: TestDaemon): Promise<void> {
  for (const { name } of TEAM) {
    const { code, stderr } = await daemon.cli(['agent', 'token', name]);
    if (code !== 0) throw new Error(stderr);
  }
  void owner;
}

/** Everything is said elsewhere first, so that it can be told as of the last hour. */
async function rehearse(): Promise<TransferRecord[]> {
  await using daemon = await startDaemon({ projectName: 'rehearsal' });
  const enter = (options: Parameters<typeof connect>[0]) =>
    connect({ socketPath: daemon.socketPath, project: 'rehearsal', env: daemon.env, ...options });
  await using owner = await enter({});
  const person = await enter({ name: personName(), type: 'human' });
  const team = new Map<string, Relay>();
  for (const { name, ...profile } of TEAM)
    team.set(name, await enter({ name, ...profile, channels: ['release'] }));
  await owner.channels.topic('release', 'Release 7: new payments, new cart, refunds');
  const sent: string[] = [];
  for (const [from, to, text, more] of TALK) {
    const { messageId } = await (team.get(from) as Relay).send(to, text, more);
    sent.push(messageId);
  }
  await person.channels.join('release');
  await (team.get('Planner') as Relay).react(sent[11] ?? '', '🎉');
  await (team.get('Frontend') as Relay).react(sent[11] ?? '', '🎉');
  await (team.get('Planner') as Relay).react(sent[13] ?? '', '✅');
  await person.send('Planner', 'How far are we with release 7?');
  await (team.get('Planner') as Relay).send(
    personName(),
    'Checkout and refunds are done, the cart is in review. Open: the order history, and a decision about the old payment call. Backend will ask you.',
  );
  const records: TransferRecord[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await owner.request('EXPORT', cursor === undefined ? {} : { cursor });
    records.push(...page.records);
    cursor = page.next;
    if (cursor === undefined) break;
  }
  for (const relay of [person, ...team.values()]) await relay.close();
  return records;
}

/** The messages at even distances within the last hour. */
function spread(records: TransferRecord[], now: number): TransferRecord[] {
  const messages = records.filter(({ type }) => type === 'message').length;
  let index = 0;
  return records.map((record) => {
    if (record.type !== 'message') return record;
    index += 1;
    return {
      ...record,
      createdAt: Math.round(now - 0.9 * HOUR_MS * (1 - index / messages) ** 1.3 - 120_000),
    };
  });
}
