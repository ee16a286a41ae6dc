import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storeContract } from '../contract.ts';
import { openStore } from '../open.ts';

const directory = mkdtempSync(join(tmpdir(), 'relay-store-'));
afterAll(() => rmSync(directory, { recursive: true }));

const onFatal = (error: Error) => {
  throw error;
};

storeContract('sqlite', () => openStore(join(directory, 'relay.db'), { onFatal }));
