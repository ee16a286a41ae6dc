import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';
import { candidates } from './candidates.ts';

const program = await buildProgram([]);
const names = {
  agents: async () => ['Alice', 'Bob'],
  channels: async () => ['general', 'dev'],
  projects: async () => ['default', 'demo'],
  keptCommits: async () => ['4be1f1c', '90a2d11'],
};
const complete = (...words: string[]) => candidates(program, words, names);

describe('completion', () => {
  it.each([
    ['commands', ['cha'], ['chat', 'channel']],
    ['commands below a command', ['workspace', 'key', 'r'], ['rotate', 'revoke']],
    ['options', ['inbox', '--f'], ['--from', '--follow']],
    ['agents as the value of an option', ['inbox', '--from', 'A'], ['Alice']],
    ['channels without the letter a shell would not take', ['inbox', '--channel', ''], ['general', 'dev']],
    ['choices', ['send', 'Bob', '--kind', 'q'], ['question']],
    ['agents and channels to send to', ['send', ''], ['Alice', 'Bob', '#general', '#dev']],
    ['agents with an @', ['send', '@A'], ['@Alice']],
    ['agents with an @ as the value of an option', ['inbox', '--from', '@'], ['@Alice', '@Bob']],
    ['a channel that is quoted', ['send', "'#g"], ['#general']],
    ['a channel that is shielded', ['send', '\\#g'], ['#general']],
    ['nothing for the text of a message', ['send', 'Bob', 'A'], []],
    ['the second argument', ['channel', 'invite', 'dev', 'B'], ['Bob']],
    ['the second argument after an option', ['channel', 'invite', '--as', 'Bob', 'dev', 'A'], ['Alice']],
    ['projects', ['workspace', 'remove', 'de'], ['default', 'demo']],
    ['options before the command', ['--as', 'A'], ['Alice']],
    ['commands after options', ['--as', 'Alice', '--json', 'inb'], ['inbox']],
    ['kept commits', ['kept', 'drop', '4be1f1c', '9'], ['90a2d11']],
    ['shells', ['completion', 'z'], ['zsh']],
  ])('proposes %s', async (_what, words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });
});
