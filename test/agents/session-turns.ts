import type { AgentCli } from './clis/agent-cli.ts';

interface SessionTurn {
  prompt: string;
  /** Columns that are added to the terminal before the turn. */
  resize?: number;
}

const say = (text: string): string => `say ${JSON.stringify(text)}`;
const count = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `Step ${from + index} of the plan is done.`).join(
    '\n\n',
  );

/** What is typed into a CLI, one turn after the other, and what its model answers. */
export const SESSION_TURNS = (cli: AgentCli): SessionTurn[] => [
  {
    prompt: say(
      'I will tell Bob first.\n\n->relay:Bob Hello Bob, the tests pass.\n->relay:#general Build complete\n\nA line that names ->relay:Eve in its middle is not for her.\n\nAn example:\n```\n->relay:Carl from a block of code\n```\nThat is all.',
    ),
  },
  {
    prompt: [
      say('Let me look.\n\n->relay:spawn Worker claude Fix the login test and report back'),
      cli.terminal?.shell('echo "->relay:Eve from a tool"; echo "->mcp:eve.tool {}"', false),
      say(
        `It is done.\n\n->relay:Bob ${'This message is so long that it has to be wrapped in every terminal, whatever its width is, '.repeat(3)}end.\n\n->relay:release Worker`,
      ),
    ].join('\n'),
  },
  {
    prompt: say(
      '->relay:Bob <<<\nFirst line of several.\n\nA second paragraph, which is long enough to be broken into several rows of the screen of this terminal.\n- a point\n- another point\n->end\n\nThat was all.\n\n->relay:discover capability:code_review\n->mcp:postgres query SELECT COUNT(*) FROM users\n->mcp:Backend.test_api POST /api/auth/login {"user": "test"}\n->mcp:server.tool {"json": "args"}\n->mcp:server.status',
    ),
  },
  { prompt: say('->relay:Bob Hello Bob, the tests pass.') },
  { prompt: say('->relay:Bob Hello Bob, the tests pass.'), resize: -14 },
  {
    prompt: say(
      `->relay:Bob before a long answer\n\n${count(1, 25)}\n\n->relay:Bob within a long answer\n\n${count(26, 50)}\n\n->relay:Bob after a long answer`,
    ),
    resize: 9,
  },
];
