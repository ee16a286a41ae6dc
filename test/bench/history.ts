import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCore, type Participant, type TestCore } from '../kit/core.ts';
import {
  type ArchiveSize,
  agentName,
  agentToken,
  buildArchive,
  COMMON_WORD,
  CREW,
  channelName,
  PROJECT,
  RARE_WORD,
  threadName,
} from './archive.ts';
import { type Figure, verdict } from './figures.ts';
import { median, milliseconds } from './statistics.ts';

const FULL: ArchiveSize[] = [
  { messages: 10_000, agents: 10 },
  { messages: 10_000, agents: 10_000 },
  { messages: 100_000, agents: 1_000 },
  { messages: 1_000_000, agents: 10 },
  { messages: 1_000_000, agents: 10_000 },
];
const QUICK: ArchiveSize[] = [
  { messages: 10_000, agents: 10 },
  { messages: 50_000, agents: 10 },
];
const MAX_RATIO = 1.5;

/** An open archive and agents that read and write in it. */
interface Subject {
  size: ArchiveSize;
  core: TestCore;
  readers: Reader[];
}

interface Reader {
  index: number;
  participant: Participant;
  partner: string;
}

/** The measured requests; those with a goal are the figures of P6, all are in the table. */
const QUESTIONS: Array<{
  what: string;
  goal: boolean;
  ask: (reader: Reader, size: ArchiveSize) => Promise<unknown>;
}> = [
  {
    what: 'send',
    goal: true,
    ask: ({ participant, partner }) => participant.send(partner, 'The build is green again.'),
  },
  { what: 'unread inbox page', goal: true, ask: ({ participant }) => participant.request('INBOX', {}) },
  { what: 'history page', goal: true, ask: ({ participant }) => participant.request('HISTORY', {}) },
  {
    what: 'history page from the middle',
    goal: false,
    ask: ({ participant }, { messages }) => participant.request('HISTORY', { before: messages / 2 }),
  },
  {
    what: 'channel page',
    goal: false,
    ask: ({ participant, index }) => participant.request('HISTORY', { channel: channelName(index) }),
  },
  {
    what: 'page with one partner',
    goal: false,
    ask: ({ participant, partner }) => participant.request('HISTORY', { agent: partner }),
  },
  {
    what: 'thread',
    goal: false,
    ask: ({ participant, index }) => participant.request('HISTORY', { thread: threadName(index) }),
  },
  { what: 'conversations', goal: false, ask: ({ participant }) => participant.request('CONVERSATIONS', {}) },
  {
    what: 'search for a rare word',
    goal: true,
    ask: ({ participant }) => participant.request('SEARCH', { query: RARE_WORD }),
  },
  {
    what: 'search for a common word',
    goal: false,
    ask: ({ participant }) => participant.request('SEARCH', { query: COMMON_WORD }),
  },
];

export interface HistoryFigures {
  figures: Figure[];
  /** The median of every request in every archive. */
  table: string[][];
}

/** How the cost of everyday requests grows with the history: archives of several sizes are measured in turns. */
export async function measureHistory(quick: boolean): Promise<HistoryFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'relay-archive-'));
  try {
    const paths = (quick ? QUICK : FULL).map((size) => ({ size, path: buildArchive(directory, size) }));
    const subjects = await Promise.all(paths.map(({ size, path }) => open(size, path)));
    const rounds = await measureRounds(subjects, quick ? 2 : 9);
    for (const { core } of subjects) await core[Symbol.asyncDispose]();
    return { figures: figuresOf(subjects, rounds), table: tableOf(subjects, rounds) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function open(size: ArchiveSize, database: string): Promise<Subject> {
  const governor = { enabled: false, emptyTurns: 1, maxTurns: 1, windowMs: 1 };
  const core = await openCore({ database, governor });
  const workspace = core.relay.workspaces.get(PROJECT);
  const readers = await Promise.all(
    Array.from({ length: CREW }, async (_, index): Promise<Reader> => {
      const participant = await core.join(workspace, agentName(index), { token: agentToken(index) });
      return { index, participant, partner: agentName((index + 1) % CREW) };
    }),
  );
  return { size, core, readers };
}

/** Milliseconds by request, subject and round. */
type Rounds = number[][][];

async function measureRounds(subjects: Subject[], count: number): Promise<Rounds> {
  const measured: Rounds = QUESTIONS.map(() => subjects.map(() => []));
  // The first round warms up the code and the caches; it is not counted.
  for (let round = 0; round <= count; round++) {
    for (const [number, { ask }] of QUESTIONS.entries()) {
      for (const [index, { readers, size }] of subjects.entries()) {
        const times: number[] = [];
        for (const reader of [...readers, ...readers]) {
          const startedAt = performance.now();
          await ask(reader, size);
          times.push(performance.now() - startedAt);
        }
        if (round > 0) measured[number]?.[index]?.push(median(times));
      }
    }
  }
  return measured;
}

const label = ({ messages, agents }: ArchiveSize): string =>
  `${messages.toLocaleString('en')} × ${agents.toLocaleString('en')}`;

/** The largest archive compared with the smallest of as many agents, round by round. */
function ratiosOf(subjects: Subject[], times: number[][]) {
  return subjects.flatMap(({ size }, large) => {
    const small = subjects.findIndex((other) => other.size.agents === size.agents);
    if (small === large) return [];
    const ratios = (times[large] ?? []).map((time, round) => time / (times[small]?.[round] ?? Number.NaN));
    return [{ large, small, ratio: median(ratios) }];
  });
}

function figuresOf(subjects: Subject[], rounds: Rounds): Figure[] {
  return QUESTIONS.flatMap(({ what, goal }, number) => {
    const times = rounds[number] ?? [];
    const shown = (index: number) =>
      `${milliseconds(median(times[index] ?? []))} (${label((subjects[index] as Subject).size)})`;
    const worst = ratiosOf(subjects, times).toSorted((one, other) => other.ratio - one.ratio)[0];
    if (!goal || !worst) return [];
    return [
      {
        id: 'P6',
        what: `${what}, as history grows`,
        measured: shown(worst.large),
        baseline: shown(worst.small),
        value: worst.ratio,
        goal: `≤ ${MAX_RATIO} × baseline`,
        result: verdict(worst.ratio <= MAX_RATIO),
      },
    ];
  });
}

function tableOf(subjects: Subject[], rounds: Rounds): string[][] {
  const ratios = ratiosOf(subjects, rounds[0] ?? []);
  const header = [
    'messages × agents',
    ...subjects.map(({ size }) => label(size)),
    ...ratios.map(({ large }) => `ratio at ${subjects[large]?.size.agents.toLocaleString('en')} agents`),
  ];
  const rows = QUESTIONS.map(({ what }, number) => [
    what,
    ...(rounds[number] ?? []).map((times) => milliseconds(median(times))),
    ...ratiosOf(subjects, rounds[number] ?? []).map(({ ratio }) => ratio.toFixed(2)),
  ]);
  return [header, ...rows];
}
