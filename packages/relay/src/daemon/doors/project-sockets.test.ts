import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workspace } from '../../core/ports/store/workspaces.ts';
import { ProjectSockets } from './project-sockets.ts';

const demo: Workspace = {
  id: 1,
  name: 'demo',
  formerNames: [],
  directory: 'demo',
  root: undefined,
  createdAt: 0,
};

let directory: string;
let obstacle: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-'));
  obstacle = join(directory, 'projects', 'demo');
  await mkdir(join(directory, 'projects'));
});
afterEach(() => rm(directory, { recursive: true }));

const listenOn = (path: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(path, () => resolve(server));
  });
const isServed = (path: string) => existsSync(path);

describe('the socket of a project', () => {
  it('is shared by all who open it, until it is closed', async () => {
    const sockets = new ProjectSockets(directory, (_, path) => [listenOn(path)]);
    const [path, again] = await Promise.all([sockets.open(demo), sockets.open(demo)]);
    expect(again).toBe(path);
    expect(sockets.path(demo)).toBe(path);
    expect(isServed(path)).toBe(true);
    await sockets.close();
    expect(isServed(path)).toBe(false);
    await expect(sockets.open(demo)).rejects.toMatchObject({ code: 'ShuttingDown' });
  });

  it('is opened again, once, if its file was deleted; connections continue', async () => {
    let opened = 0;
    const sockets = new ProjectSockets(directory, (_, path) => {
      opened++;
      return [listenOn(path)];
    });
    const path = await sockets.open(demo);
    const client = connect(path);
    await once(client, 'connect');
    await rm(path);
    expect(await Promise.all([sockets.open(demo), sockets.open(demo), sockets.open(demo)])).toEqual([
      path,
      path,
      path,
    ]);
    expect(opened).toBe(2);
    expect(isServed(path)).toBe(true);
    expect(client.closed).toBe(false);
    const second = connect(path);
    await once(second, 'connect');
    for (const socket of [client, second]) socket.destroy();
    await sockets.close();
  });

  it('that could not be opened is tried again on the next request', async () => {
    const sockets = new ProjectSockets(directory, (_, path) => [listenOn(path)]);
    await writeFile(obstacle, 'in the way');
    await expect(sockets.open(demo)).rejects.toMatchObject({ code: 'InvalidSettings' });
    expect(sockets.unserved()).toMatchObject([{ project: 'demo', error: { code: 'InvalidSettings' } }]);
    await rm(obstacle);
    expect(isServed(await sockets.open(demo))).toBe(true);
    expect(sockets.unserved()).toEqual([]);
    await sockets.close();
  });

  it('that could not be opened can be closed without an error', async () => {
    const sockets = new ProjectSockets(directory, (_, path) => [listenOn(path)]);
    await writeFile(obstacle, 'in the way');
    const opening = expect(sockets.open(demo)).rejects.toThrow('cannot be used (EEXIST)');
    await sockets.close();
    await opening;
    await sockets.closeOne(demo);
  });

  it('stays in place when its project is renamed', async () => {
    const sockets = new ProjectSockets(directory, (_, path) => [listenOn(path)]);
    const renamed = { ...demo };
    const path = await sockets.open(renamed);
    renamed.name = 'shop';
    expect(await sockets.open(renamed)).toBe(path);
    await sockets.close();
    const restarted = new ProjectSockets(directory, (_, path) => [listenOn(path)]);
    expect(await restarted.open(renamed)).toBe(path);
    await restarted.close();
  });

  it('is closed if the other one of its project could not be opened', async () => {
    const sockets = new ProjectSockets(directory, (_, path) => [
      listenOn(path),
      listenOn(join(directory, 'missing', 'socket')),
    ]);
    await expect(sockets.open(demo)).rejects.toMatchObject({
      code: 'InvalidSettings',
      message: expect.stringMatching(/^The socket cannot be opened: listen E/),
      next: expect.stringContaining('agent-relay daemon start --project demo'),
    });
    expect(sockets.path(demo)).toBeUndefined();
    await sockets.closeOne(demo);
    expect(sockets.unserved()).toEqual([]);
    const alone = new ProjectSockets(directory, (_, path) => [listenOn(path)]);
    expect(isServed(await alone.open(demo))).toBe(true);
    await alone.close();
  });
});
