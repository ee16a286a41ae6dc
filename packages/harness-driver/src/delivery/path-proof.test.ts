import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PathProof, type ProvenCli } from './path-proof.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-proof-'));
});
afterEach(() => rm(directory, { recursive: true }));

const proofOf = (more: Partial<ProvenCli> = {}) =>
  new PathProof({
    ...{ word: 'claude', version: '2.2.0', proven: ['2.1.325'], directory: join(directory, 'proven') },
    ...more,
  });

it('needs no proof of a version that was tried, nor of a CLI that the user described', () => {
  expect(proofOf({ version: '2.1.325' }).doubt('hook')).toBeUndefined();
  expect(proofOf({ proven: undefined }).doubt('pty')).toBeUndefined();
});

it('doubts each path of another version until a message was seen to go in by it, once for all runs', async () => {
  const proof = proofOf();
  expect(proof.doubt('hook')).toEqual({ code: 'unproven', detail: 'claude 2.2.0' });
  proof.observed('hook', 'injected');
  expect(proof.doubt('hook')).toBeUndefined();
  expect(proof.doubt('pty')).toEqual({ code: 'unproven', detail: 'claude 2.2.0' });
  const next = proofOf();
  expect(next.doubt('hook')).toBeUndefined();
  expect(next.doubt('pty')).toEqual({ code: 'unproven', detail: 'claude 2.2.0' });
  expect(proofOf({ version: '2.2.0.1' }).doubt('hook')?.detail).toBe('claude 2.2.0.1');
  expect(await readdir(join(directory, 'proven'))).toEqual(['claude@2.2.0.hook']);
});

it('notes nothing of a version that is not known', async () => {
  const proof = proofOf({ version: undefined });
  expect(proof.doubt('hook')?.detail).toBe('claude');
  proof.observed('hook', 'turn_started');
  expect(proof.doubt('hook')).toBeUndefined();
  expect(proofOf({ version: undefined }).doubt('hook')?.detail).toBe('claude');
});

it('does not use a path that nobody knows how to use', () => {
  const droid = proofOf({ word: 'droid', proven: [], unusable: ['pty'] });
  expect([droid.hasFailed('pty'), droid.doubt('pty')]).toEqual([
    true,
    { code: 'unproven', detail: 'droid 2.2.0' },
  ]);
});

it('drops a path that failed, until what went in by it is found after all', () => {
  const proof = proofOf();
  const told: string[] = [];
  proof.onChange = (path) => told.push(path);
  proof.observed('hook', 'uncertain');
  expect([proof.hasFailed('hook'), proof.hasFailed('pty')]).toEqual([true, false]);
  proof.observed('hook', 'injected');
  expect(proof.hasFailed('hook')).toBe(false);
  expect(told).toEqual(['hook', 'hook']);
});

it('counts for this run where it cannot be noted', async () => {
  const proof = proofOf();
  // A file is where the directory should be.
  await writeFile(join(directory, 'proven'), '');
  proof.observed('hook', 'injected');
  expect(proof.doubt('hook')).toBeUndefined();
});
