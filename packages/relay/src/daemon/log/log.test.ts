import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadSettings, type Settings } from '../settings/settings.ts';
import { openFileLog, openTerminalLog } from './log.ts';
import { logDirectory, logFile } from './log-files.ts';

let directory: string;
let settings: Settings;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-log-'));
  settings = await loadSettings({ RELAY_DATA_DIR: directory, RELAY_CONFIG: directory });
});
afterEach(() => rm(directory, { recursive: true }));

describe('the log of a daemon', () => {
  it('is a private file of JSON lines', async () => {
    const file = await openFileLog(settings);
    file.log.info({ project: 'demo' }, 'opened');
    await file.close();
    const line = JSON.parse(await readFile(logFile(directory), 'utf8'));
    expect(line).toMatchObject({ level: 30, project: 'demo', msg: 'opened' });
    expect((await stat(logFile(directory))).mode & 0o777).toBe(0o600);
  });

  it('keeps the number and size of files that the settings say', async () => {
    const file = await openFileLog({ ...settings, log: { level: 'info', maxSize: '1K', files: 2 } });
    for (let line = 0; line < 200; line++) file.log.info({ line }, 'x'.repeat(100));
    await file.close();
    const names = await readdir(logDirectory(directory));
    expect(names.sort()).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2']);
    for (const name of names) {
      const { size, mode } = await stat(join(logDirectory(directory), name));
      expect(size).toBeLessThan(64 * 1024);
      expect(mode & 0o777).toBe(0o600);
    }
  });

  it('survives write errors; it continues later, and reports how many lines were lost', async () => {
    // Like a full disk, which only root could make: the file cannot be opened.
    await mkdir(logFile(directory), { recursive: true });
    const file = await openFileLog(settings);
    for (let line = 0; line < 3; line++) {
      file.log.info({ line }, 'lost');
      await expect(readFile(logFile(directory))).rejects.toMatchObject({ code: 'EISDIR' });
    }
    await rmdir(logFile(directory));
    const entries = async () => (await readFile(logFile(directory), 'utf8')).split('\n').filter(Boolean);
    await vi.waitFor(async () => {
      file.log.info('back');
      expect((await entries()).length).toBeGreaterThan(1);
    });
    await file.close();
    const [first, ...others] = (await entries()).map((line) => JSON.parse(line));
    expect(first).toMatchObject({ msg: 'back' });
    const notices = others.filter(({ lines }) => lines !== undefined);
    expect(notices).toMatchObject([{ level: 40, lines: expect.any(Number) }]);
    expect(notices[0].lines).toBeGreaterThanOrEqual(3);
  });

  it('can be closed while the disk is full', async () => {
    await mkdir(logFile(directory), { recursive: true });
    const file = await openFileLog(settings);
    file.log.info('lost');
    await file.close();
    file.log.info('too late');
    await file.close();
  });

  it('contains no secrets, in fields or in text', () => {
    const lines: string[] = [];
    const log = openTerminalLog(settings, (line) => lines.push(line));
    const token = `at_${'t'.repeat(43)}`;
    const key = `rk_abcdefgh_${'k'.repeat(43)}`;
    log.info({ token, hello: { workspaceKey: key, headers: { authorization: 'Bearer canary' } } }, 'hello');
    log.info({ database: 'postgres://u:canary@h/d?password=canary' }, `said ${token} and ${key}`);
    log.error({ err: new Error('no postgres://u:canary@h/d') }, 'failed');
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toMatch(/canary|ttttt|kkkkk/);
  });

  it('omits lines below its level', () => {
    const lines: string[] = [];
    const log = openTerminalLog({ ...settings, log: { ...settings.log, level: 'warn' } }, (line) =>
      lines.push(line),
    );
    log.info('quiet');
    log.warn('loud');
    expect(lines).toHaveLength(1);
  });
});
