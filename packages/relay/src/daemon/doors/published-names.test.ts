import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renamedTo } from '@agent-relay/sdk/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workspace } from '../../core/ports/store/workspaces.ts';
import { PublishedNames } from './published-names.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-names-'));
  file = join(directory, 'projects', 'names.json');
});
afterEach(() => rm(directory, { recursive: true }));

let ids = 0;
const workspace = (name: string, changes: Partial<Workspace> = {}): Workspace => ({
  id: ++ids,
  name,
  formerNames: [],
  directory: name,
  root: undefined,
  createdAt: 0,
  ...changes,
});
const published = async () => JSON.parse(await readFile(file, 'utf8'));
const newName = (project: string) => renamedTo(project, { RELAY_DATA_DIR: directory });

describe('the published names of the projects', () => {
  it('are the names of projects that differ, or differed, from their directory', async () => {
    const shop = workspace('shop', { directory: 'demo', formerNames: ['demo', 'shop', 'depot'] });
    const workspaces = [workspace('plain'), shop];
    const names = new PublishedNames(directory, () => workspaces);
    await names.publish();
    expect(await published()).toEqual([{ name: 'shop', directory: 'demo', formerNames: ['demo', 'depot'] }]);
    expect(await newName('demo')).toBe('shop');
    workspaces.push(workspace('Depot'), workspace('demo', { directory: 'demo~2' }));
    await names.publish();
    expect(await published()).toEqual([
      { name: 'shop', directory: 'demo', formerNames: [] },
      { name: 'demo', directory: 'demo~2', formerNames: [] },
    ]);
    expect(await newName('demo')).toBeUndefined();
  });

  it('are current after many changes', async () => {
    const one = workspace('one', { formerNames: ['zero'] });
    const names = new PublishedNames(directory, () => [one]);
    const publishing = ['two', 'three', 'four'].map((name) => {
      one.name = name;
      return names.publish();
    });
    await Promise.all(publishing);
    expect(await newName('zero')).toBe('four');
  });

  it('are published later if that cannot be done now', async () => {
    const names = new PublishedNames(directory, () => [workspace('one', { formerNames: ['zero'] })]);
    await writeFile(join(directory, 'projects'), 'in the way');
    await expect(names.publish()).rejects.toMatchObject({ code: 'InvalidSettings' });
    await rm(join(directory, 'projects'));
    await mkdir(join(directory, 'projects'), { mode: 0o700 });
    await names.publish();
    expect(await newName('zero')).toBe('one');
  });
});
