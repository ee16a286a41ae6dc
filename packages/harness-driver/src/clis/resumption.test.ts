import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adapterOf } from './clis.ts';
import { beginConversation } from './resumption.ts';

const ID = '0d5f2a4e-1111-4222-8333-444455556666';

const begun = (word: string, given: string[], resume?: string, env: NodeJS.ProcessEnv = { HOME: '/none' }) =>
  beginConversation(word, adapterOf(word).resumption, given, { resume, env });

describe('a new conversation', () => {
  it.each(['claude', 'gemini'])('of %s gets an id of ours', async (word) => {
    const { args, session = '' } = await begun(word, ['--model', 'x', 'Fix it']);
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
    expect(args.join(' ')).toMatch(new RegExp(`--session-id.${session} --model x Fix it$`));
  });

  it.each([
    ['claude', ['--resume', ID]],
    ['claude', ['-c']],
    ['claude', [`--session-id=${ID}`]],
    ['claude', ['mcp', 'list']],
    ['gemini', ['-r', 'latest']],
    ['codex', []],
    ['vim', ['-c']],
  ])('of %s %j is left to the CLI', async (word, given) => {
    expect(await begun(word, given)).toEqual({ args: given });
  });
});

describe('an earlier conversation', () => {
  it.each([
    ['codex', ['-m', 'x', '--image', 'a.png', 'Fix it'], ['resume', ID, '-m', 'x']],
    ['codex', ['resume', '--last', '-c', 'a=1'], ['resume', ID, '-c', 'a=1']],
    ['opencode', ['-c', 'part', '-m', 'a/b'], ['--session', ID, 'part', '-m', 'a/b']],
    ['codex', ['--sandbox=read-only', '--', 'Fix', 'it'], ['resume', ID, '--sandbox=read-only']],
  ])('of %s %j goes on without the prompt, and with its options', async (word, given, args) => {
    expect(await begun(word, given, ID)).toEqual({ args, session: ID });
  });

  it.each([
    ['claude', '.claude/projects/-work', `${ID}.jsonl`, [`--resume=${ID}`]],
    [
      'gemini',
      '.gemini/tmp/work/chats',
      `session-2026-11-17T18-25-${ID.slice(0, 8)}.jsonl`,
      ['--resume', ID],
    ],
  ])(
    'of %s goes on where something was said, and begins with its id where not',
    async (word, folder, file, resumed) => {
      await using home = await mkdtempDisposable(join(tmpdir(), 'relay-home-'));
      const env = { HOME: home.path };
      const given = ['--model', 'x', 'Fix it'];
      const fresh = await begun(word, given, ID, env);
      expect(fresh.args.join(' ')).toMatch(/^--session-id.0d5f2a4e-\S+ --model x$/);
      await mkdir(join(home.path, folder), { recursive: true });
      await writeFile(join(home.path, folder, file), '{"type":"mode"}\n{"parentUuid":null,"type":"user"}\n');
      expect(await begun(word, given, ID, env)).toEqual({ args: [...resumed, '--model', 'x'], session: ID });
    },
  );

  it('of claude that was killed before its first message was stored begins with another id', async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), 'relay-home-'));
    const folder = join(home.path, '.claude/projects/-work');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, `${ID}.jsonl`),
      '{"type":"mode"}\n{"type":"queue-operation","content":"Fix it"}\n',
    );
    const { args, session } = await begun('claude', ['--model', 'x', 'Fix it'], ID, { HOME: home.path });
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
    expect(session).not.toBe(ID);
    expect(args).toEqual([`--session-id=${session}`, '--model', 'x']);
  });

  it('of a program that has none cannot go on', async () => {
    await expect(begun('vim', [], ID)).rejects.toMatchObject({ code: 'NotResumable' });
  });
});
