import { expect, it } from 'vitest';
import { BackendError, CallAborted } from '../../backend/failures.ts';
import { toJson } from '../../json/raw-json.ts';
import { Questions } from './questions.ts';

/** Questions to a client; `asked` are those that were sent to it. */
function client() {
  const questions = new Questions();
  const asked: Array<{ id: string; method: string; params: unknown }> = [];
  const outlet = {
    send: (message: Buffer) => void asked.push(JSON.parse(message.toString())),
    answer: () => undefined,
  };
  const abort = new AbortController();
  const ask = (method: string) => questions.ask(outlet, method, undefined, abort.signal);
  const answer = (id: string, members: Record<string, unknown>, flaw?: string) =>
    questions.answered(
      toJson(id),
      new Map(Object.entries(members).map(([name, value]) => [name, toJson(value)])),
      flaw,
    );
  return { questions, asked, ask, answer, abort };
}

it('gives each question its own id and its own answer', async () => {
  const { asked, ask, answer } = client();
  const [first, second] = [ask('roots/list'), ask('elicitation/create')];
  const [one, other] = asked;
  expect(asked).toMatchObject([
    { method: 'roots/list', params: {} },
    { method: 'elicitation/create', params: {} },
  ]);
  expect(one?.id).not.toBe(other?.id);
  answer(other?.id ?? '', { result: { action: 'accept' } });
  answer(one?.id ?? '', { result: { roots: [] } });
  expect((await first).toString()).toBe('{"roots":[]}');
  expect((await second).toString()).toBe('{"action":"accept"}');
});

it('ends a question on an error, an invalid answer or a disconnect', async () => {
  const { questions, asked, ask, answer } = client();
  const refused = expect(ask('roots/list')).rejects.toThrow(BackendError);
  answer(asked[0]?.id ?? '', { error: { code: -1, message: 'no' } });
  await refused;
  const flawed = expect(ask('roots/list')).rejects.toThrow(
    "the client's answer is refused: it has a key twice",
  );
  answer(asked[1]?.id ?? '', { result: {} }, 'it has a key twice');
  await flawed;
  const left = expect(ask('roots/list')).rejects.toThrow('the client disconnected');
  questions.close();
  await left;
});

it('ignores answers to a withdrawn question', async () => {
  const { asked, ask, answer, abort } = client();
  const withdrawn = expect(ask('roots/list')).rejects.toThrow(CallAborted);
  abort.abort();
  await withdrawn;
  answer(asked[0]?.id ?? '', { result: {} });
  answer('relay-99', { result: {} });
});
