import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command } from './command.ts';
import { CommandReader } from './command-reader.ts';

const read = (...lines: string[]): Command[] => {
  const reader = new CommandReader();
  return [...lines.map((line) => reader.take(line)), reader.end()].filter((one) => one !== undefined);
};
const problemOf = (...lines: string[]) =>
  read(...lines).map((one) => ('problem' in one ? one.problem : one.kind));

describe('commands in a line', () => {
  it.each<[string, Command]>([
    ['->relay:Bob Hello there', { kind: 'send', to: 'Bob', body: 'Hello there' }],
    ['->relay:* Stop', { kind: 'send', to: '*', body: 'Stop' }],
    ['->relay:#general Build complete', { kind: 'send', to: '#general', body: 'Build complete' }],
    ['->relay:web:Bob Hello', { kind: 'send', to: 'web:Bob', body: 'Hello' }],
    ['->relay:Bob [thread:login] Done', { kind: 'send', to: 'Bob', thread: 'login', body: 'Done' }],
    [
      '->relay:spawn Worker claude Fix the test',
      { kind: 'spawn', name: 'Worker', cli: 'claude', task: 'Fix the test' },
    ],
    ['->relay:spawn Worker codex', { kind: 'spawn', name: 'Worker', cli: 'codex', task: '' }],
    ['->relay:release Worker', { kind: 'release', name: 'Worker' }],
    ['->relay:discover capability:code_review', { kind: 'discover', capability: 'code_review' }],
    ['->relay:discover tool:lint', { kind: 'discover', tool: 'lint' }],
    ['->relay:discover', { kind: 'discover' }],
    [
      '->mcp:postgres query SELECT COUNT(*) FROM users',
      { kind: 'call', server: 'postgres', tool: 'query', args: 'SELECT COUNT(*) FROM users' },
    ],
    ['->mcp:server.tool {"a": 1}', { kind: 'call', server: 'server', tool: 'tool', args: '{"a": 1}' }],
    ['->mcp:server.tool', { kind: 'call', server: 'server', tool: 'tool', args: '' }],
    ['->mcp:Agent.a.b x', { kind: 'call', server: 'Agent', tool: 'a.b', args: 'x' }],
  ])('%s', (line, command) => {
    expect(read(line)).toEqual([command]);
  });

  it('begin the line, with nothing before them', () => {
    expect(read(' ->relay:Bob no', 'say ->relay:Bob no', '"->relay:Bob no', '| ->relay:Bob no')).toEqual([]);
    expect(read('->relay: Bob', '->other:Bob hi', '-> relay:Bob hi', '->relay')).toEqual([]);
  });

  it('that lack something are mistakes, with the right form', () => {
    expect(problemOf('->relay:Bob')).toEqual(['The message is missing.']);
    expect(problemOf('->relay:spawn Worker')).toEqual(['The agent name or the CLI is missing.']);
    expect(problemOf('->relay:release A B')).toEqual(['It must name one agent.']);
    expect(problemOf('->relay:discover reviewers')).toEqual(['"reviewers" is not a filter.']);
    expect(problemOf('->mcp:server')).toEqual(['The tool name is missing.']);
    expect(problemOf(`->relay:Bob ${'x'.repeat(70_000)}`)).toEqual(['It is longer than 65536 bytes.']);
  });
});

describe('commands with several lines', () => {
  const body = (text: string): Command[] => [{ kind: 'send', to: 'Bob', body: text }];

  it('reach from <<< to ->end', () => {
    expect(read('->relay:Bob <<<', 'One.', '', '->relay:Eve no', '->end')).toEqual(
      body('One.\n\n->relay:Eve no'),
    );
    expect(read('->relay:Bob <<<', '- One', '  ->end')).toEqual(body('- One'));
  });

  it('or to >>> at the end of a line', () => {
    expect(read('->relay:Bob <<<', 'One.', 'Two.>>>')).toEqual(body('One.\nTwo.'));
    expect(read('->relay:Bob <<< One.', 'Two.', '>>>')).toEqual(body('One.\nTwo.'));
    expect(read('->relay:Bob <<< One. >>>')).toEqual(body('One.'));
  });

  it('have arguments of tools and tasks in them as well', () => {
    expect(read('->mcp:a.b <<<', '{"x":', '1}', '->end')).toEqual([
      { kind: 'call', server: 'a', tool: 'b', args: '{"x":\n1}' },
    ]);
    expect(read('->relay:spawn W claude <<<', 'Fix', 'it', '->end')).toEqual([
      { kind: 'spawn', name: 'W', cli: 'claude', task: 'Fix\nit' },
    ]);
  });

  it('are sent whole or not at all', () => {
    expect(problemOf('->relay:Bob <<<', 'One.')).toEqual(['The text has no end mark.']);
    expect(problemOf('->relay:Bob <<<', 'x'.repeat(40_000), 'x'.repeat(40_000), '->relay:Bob hi')).toEqual([
      'It is longer than 65536 bytes.',
      'send',
    ]);
  });
});

it('reads any lines, without an error', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '->relay:',
      '->mcp:',
      'Bob',
      ' ',
      '<<<',
      '>>>',
      '->end',
      '[thread:',
      ']',
      'spawn',
      '.',
      '{',
    ),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
  );
  const line = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      for (const command of read(...lines)) expect(command.kind).toBeTypeOf('string');
    }),
    { numRuns: 500 },
  );
});
