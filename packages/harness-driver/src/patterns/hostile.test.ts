import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hostileBodies } from '../../../../test/kit/hostile-bodies.ts';
import { envelopeOf } from '../delivery/envelope.ts';
import { Screen } from '../screen/screen.ts';
import { isCommand } from './command.ts';
import { CommandReader } from './command-reader.ts';
import { Patterns } from './patterns.ts';

const messageOf = (content: string) => ({
  seq: 1,
  id: 'msg_1',
  from: 'Eve',
  to: 'Bob',
  kind: 'free' as const,
  importance: 'normal' as const,
  content,
  ts: 1,
  authority: 'peer' as const,
});
const envelope = (content: string): string => envelopeOf(messageOf(content));

it('finds no command in any message as it is typed', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(hostileBodies(), (body) => {
      const reader = new CommandReader();
      for (const line of envelope(`\n->relay:Bob hi\n${body}`).split('\n'))
        expect(reader.take(line)).toBeUndefined();
      expect(reader.end()).toBeUndefined();
    }),
    { numRuns: 100_000 },
  );
});

it('carries out nothing of a message that a program shows, however it breaks the lines', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(hostileBodies(), fc.integer({ min: 2, max: 60 }), async (body, columns) => {
      const found: unknown[] = [];
      const patterns = new Patterns(undefined, (command) => found.push(command));
      const screen = new Screen({ columns, rows: 10, onLine: (line) => patterns.line(line) });
      const typed = envelope(`${body}\n->relay:Bob hi ->mcp:a.b`);
      patterns.typed(typed);
      // As a terminal echoes it, and as a program that breaks it before each command.
      const broken = typed.replaceAll('->', '\n->');
      expect(broken.split('\n').some(isCommand)).toBe(true);
      screen.feed(Buffer.from(`${typed}\n${broken}\n`.replaceAll('\n', '\r\n')));
      await screen.settled();
      screen.endLines();
      screen.dispose();
      expect(found).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
