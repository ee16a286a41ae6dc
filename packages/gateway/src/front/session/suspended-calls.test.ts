import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { objectFrom, toJson } from '../../json/raw-json.ts';
import type { Call } from './call.ts';
import { SuspendedCalls } from './suspended-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function callOf(params: Record<string, unknown> = {}): Call {
  const outlet = { send: () => undefined, answer: () => undefined };
  return {
    id: toJson(1),
    method: 'tools/call',
    params: new Map(Object.entries(params).map(([name, value]) => [name, toJson(value)])),
    meta: {},
    era: 'modern',
    clientCapabilities: {},
    signal: new AbortController().signal,
    reply: outlet,
    trace: undefined,
  };
}

/** A backend that asks for a name during its call, and greets who that is; `ended` when its call was abandoned. */
function begin(calls: SuspendedCalls) {
  const ended = Promise.withResolvers<void>();
  const call = callOf();
  const exchange = calls.open(call, async (signal, current) => {
    signal.addEventListener('abort', () => ended.resolve());
    const answer = await current().ask?.('elicitation/create', toJson({ message: 'Who?' }), signal);
    return toJson({ greeted: objectFrom(answer)?.content });
  });
  return { ended: ended.promise, first: exchange.next(call) };
}

it('returns a question as the result, then the real result after the answer', async () => {
  const calls = new SuspendedCalls();
  const question = objectFrom(await begin(calls).first);
  expect(question).toMatchObject({
    resultType: 'input_required',
    inputRequests: { question: { method: 'elicitation/create', params: { message: 'Who?' } } },
  });
  const inputResponses = { question: { action: 'accept', content: 'Bob' } };
  const state = toJson(question?.requestState);
  const result = await calls.take(state)?.resume(callOf({ inputResponses }));
  expect(objectFrom(result)).toEqual({ greeted: 'Bob' });
  // It is there for one return.
  expect(calls.take(state)).toBeUndefined();
});

it('refuses an unknown state', () => {
  expect(new SuspendedCalls().take(toJson('made up'))).toBeUndefined();
  expect(new SuspendedCalls().take(undefined)).toBeUndefined();
});

it('gives up a call whose caller does not return within ten minutes', async () => {
  const calls = new SuspendedCalls();
  const { first, ended } = begin(calls);
  const state = toJson(objectFrom(await first)?.requestState);
  vi.advanceTimersByTime(600_000);
  await ended;
  expect(calls.take(state)).toBeUndefined();
});

it('ends suspended calls with their session', async () => {
  const calls = new SuspendedCalls();
  const { first, ended } = begin(calls);
  await first;
  calls.close();
  await ended;
});
