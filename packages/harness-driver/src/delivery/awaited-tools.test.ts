import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tellHost } from '../../../mcp/src/stdio/tell-host.ts';
import type { Reading } from '../clis/reading.ts';
import { AwaitedTools } from './awaited-tools.ts';

const idle: Reading = { state: 'composer', draft: '', busy: false };
const STARTING = { code: 'starting' };

let directory: string;
let tools: AwaitedTools;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-tools-'));
  tools = await AwaitedTools.listen(join(directory, 'tools'));
});
afterEach(async () => {
  vi.useRealTimers();
  await tools[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe('the first message', () => {
  it('waits until the CLI has the tools', async () => {
    expect(tools.hold(idle)).toEqual(STARTING);
    const changed = new Promise<void>((resolve) => {
      tools.onChange = resolve;
    });
    tellHost(tools.socketPath);
    await changed;
    expect(tools.hold(idle)).toBeUndefined();
  });

  it('waits for half a minute at most, from the end of the questions at the start', () => {
    vi.useFakeTimers();
    expect(tools.hold({ state: 'unknown' })).toEqual(STARTING);
    expect(tools.hold({ state: 'starting', question: 'trust question' })).toEqual(STARTING);
    vi.advanceTimersByTime(60_000);
    expect(tools.hold(idle)).toEqual(STARTING);
    vi.advanceTimersByTime(29_999);
    expect(tools.hold(idle)).toEqual(STARTING);
    const changed = vi.fn();
    tools.onChange = changed;
    vi.advanceTimersByTime(1);
    expect(changed).toHaveBeenCalledOnce();
    expect(tools.hold(idle)).toBeUndefined();
  });

  it('does not wait when a turn has begun without them', () => {
    expect(tools.hold({ ...idle, busy: true })).toBeUndefined();
    expect(tools.hold(idle)).toBeUndefined();
  });
});
