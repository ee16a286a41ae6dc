import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from './errors.ts';
import { REASONS } from './messages/reasons.ts';
import { isOperation, OPERATIONS, type OperationName } from './operations/operations.ts';
import { DELIVERY_STATES, RECEIVING_PATHS } from './vocabulary.ts';
import { decodeEnvelope, parsePayload } from './wire/envelope.ts';
import { helloPayload } from './wire/payloads.ts';
import { isRepeatable } from './wire/repeatable.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  const rows = new Map(
    [...read('errors.md').matchAll(/^\| `(\w+)` \|.*\|$/gm)].map(([row, code]) => [code, row]),
  );

  it.each(Object.keys(ERRORS) as ErrorCode[])('has the row of %s as the catalogue has it', (code) => {
    const { meaning, retryable, exit, http, next } = ERRORS[code];
    const cells = [`\`${code}\``, meaning, retryable ? 'yes' : 'no', exit, http, next];
    expect(rows.get(code)).toBe(`| ${cells.join(' | ')} |`);
  });

  it('has no row of a code that does not exist', () => {
    expect([...rows.keys()].filter((code) => !Object.hasOwn(ERRORS, code ?? ''))).toEqual([]);
  });

  it('explains every exit code', () => {
    const explained = [...read('errors.md').matchAll(/^\| (\d+) \| \w/gm)].map(([, exit]) => Number(exit));
    const used = new Set(Object.values(ERRORS).map(({ exit }) => exit as number));
    expect(explained).toEqual([0, ...[...used].sort((a, b) => a - b)]);
  });
});

describe('docs/protocol.md', () => {
  const text = read('protocol.md');
  const headings = [...text.matchAll(/^### (\S+)$/gm)].map(([, heading]) => heading);
  const examples = [...text.matchAll(/^```json\n(.*)\n```$/gm)].map(([, example]) => example ?? '');
  const sections = (operation: string) => text.split(`\n### ${operation}\n`)[1]?.split('\n###')[0] ?? '';

  it('describes every operation, and none that does not exist', () => {
    expect(headings).toEqual(Object.keys(OPERATIONS));
  });

  it.each(Object.entries(OPERATIONS))('names every field of %s', (operation, { params }) => {
    const shapes = 'options' in params ? params.options.map(({ shape }) => shape) : [params.shape];
    for (const field of shapes.flatMap((shape) => Object.keys(shape))) {
      expect(sections(operation)).toMatch(new RegExp(`\`${field}[\`?:]`));
    }
  });

  it.each(Object.keys(helloPayload.shape))('describes %s of HELLO', (field) => {
    expect(text.split('### Fields of HELLO')[1]?.split('###')[0]).toContain(`\`${field}\``);
  });

  it.each(DELIVERY_STATES)('describes the state %s', (state) => {
    expect(text).toMatch(new RegExp(`^\\| \`${state}\` \\|`, 'm'));
  });

  it('shows an example of every envelope that is not an operation of its own', () => {
    const shown = new Set(examples.map((example) => decodeEnvelope(example).type));
    const types = ['HELLO', 'WELCOME', 'ACK', 'ERROR', 'DELIVER', 'REPLY', 'EVENT', 'PING', 'PONG'];
    types.push('CALL', 'PROGRESS', 'RESULT');
    expect([...shown]).toEqual(expect.arrayContaining(types));
  });

  it.each(examples)('shows a valid envelope: %s', (example) => {
    const { type, payload } = decodeEnvelope(example);
    // Of an operation with the same name as an envelope of the daemon, the latter has another shape.
    const ofDaemon: Record<string, string> = { ACK: 'id', CALL: 'caller', PROGRESS: 'id', RESULT: 'id' };
    const isRequest = isOperation(type) && !((ofDaemon[type] ?? '') in (payload as object));
    if (isRequest) parsePayload(OPERATIONS[type].params, payload, type);
    if (type === 'HELLO') parsePayload(helloPayload, payload, type);
    if (type === 'ERROR') expect(ERRORS).toHaveProperty((payload as { code: string }).code);
  });

  it('names only errors that exist', () => {
    const codes = [...text.matchAll(/`([A-Z][a-z]+[A-Z][A-Za-z]+)`/g)].map(([, code]) => code ?? '');
    expect(codes.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });

  it('says which operations may not be repeated', () => {
    const [, list] = text.match(/with the same `id`, except ([^.]*)\./) ?? [];
    const once = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => !isRepeatable(name));
    expect(list?.match(/[A-Z_]{4,}/g)?.sort()).toEqual(once.sort());
  });
});

describe('docs/delivery.md', () => {
  const text = read('delivery.md');
  const rowsOf = (section: string) =>
    [
      ...(text.split(`## ${section}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| (.*) \|$/gm),
    ].map(([, code, meaning]) => [code, meaning]);

  it('lists every reason with its text, and none that does not exist', () => {
    expect(rowsOf('Reasons')).toEqual(Object.entries(REASONS));
  });

  it('lists every state, in order', () => {
    expect(rowsOf('States').map(([state]) => state)).toEqual(DELIVERY_STATES);
  });

  it('lists every path', () => {
    expect(rowsOf('How a message reaches an agent').map(([path]) => path)).toEqual([
      ...RECEIVING_PATHS,
      'pull',
    ]);
  });
});
