import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { anthropicMessages } from './dialects/anthropic-messages.ts';
import type { ModelRequest, Reply } from './dialects/dialect.ts';
import { geminiGenerateContent } from './dialects/gemini-generate-content.ts';
import { openAiChat } from './dialects/openai-chat.ts';
import { openAiResponses } from './dialects/openai-responses.ts';
import { nextAnswer, type Turn } from './script.ts';

const DIALECTS = [anthropicMessages, openAiResponses, openAiChat, geminiGenerateContent];

/** A model on loopback that does what its prompt says (see script.ts), for every API of the clients. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  /** All requests to the model, in order. */
  readonly requests: readonly AskedModel[];
  /** Resolves with the next request. */
  asked(): Promise<void>;
  /** From now on the model does not answer, until the returned function is called. */
  think(): () => void;
  /** From now on this is added to every prompt, for those that cannot have steps in them. */
  add(steps: string): void;
  /** From now on every prompt fails like this, until the function it returns is called. */
  fail(failure: Failure): () => void;
}

/** What an API answers instead. */
export interface Failure {
  status: number;
  body: unknown;
}

/** A request, and its raw text. */
type AskedModel = ModelRequest & { body: string };

/** `paceMs`: between the parts of an answer that is streamed. */
export async function startScriptedModel({ paceMs = 0 } = {}): Promise<ScriptedModel> {
  const requests: AskedModel[] = [];
  let thought = Promise.resolve();
  let failure: Failure | undefined;
  let added = '';
  const server = createServer((request, response) => {
    const note = (asked: AskedModel) => {
      requests.push(asked);
      server.emit('asked');
      return thought.then(() => failure);
    };
    serve(request, response, { note, paceMs, steps: () => added }).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    asked: () => once(server, 'asked').then(() => undefined),
    think() {
      const { promise, resolve } = Promise.withResolvers<void>();
      thought = promise;
      return resolve;
    },
    add(steps) {
      added = `\n${steps}`;
    },
    fail(wanted) {
      failure = wanted;
      return () => {
        failure = undefined;
      };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  {
    note,
    paceMs,
    steps,
  }: { note: (asked: AskedModel) => Promise<Failure | undefined>; paceMs: number; steps: () => string },
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://model').pathname;
  const body = await text(request);
  const dialect =
    request.method === 'POST' ? DIALECTS.find((candidate) => candidate.matches(path)) : undefined;
  if (!dialect) return answerJson(response, sideAnswer(path));
  const asked = dialect.read(JSON.parse(body), path);
  const failure = await note({ ...asked, body });
  if (failure) {
    response.statusCode = failure.status;
    return answerJson(response, failure.body);
  }
  const turns = withSteps(asked.turns, steps());
  const reply = dialect.write(nextAnswer(turns, asked.tools), asked);
  if (asked.streamed) await answerEvents(response, reply, paceMs);
  else answerJson(response, reply.json);
}

/** As if the newest prompt had these steps too. */
function withSteps(turns: readonly Turn[], steps: string): Turn[] {
  const newest = turns.findLastIndex(({ kind }) => kind === 'user');
  return turns.map((turn, index) => (index === newest ? { ...turn, text: turn.text + steps } : turn));
}

/** Clients also count tokens and list models; nothing depends on the answers. */
const sideAnswer = (path: string): unknown =>
  /count_?tokens$/i.test(path)
    ? { input_tokens: 1, totalTokens: 1 }
    : { object: 'list', data: [], models: [] };

function answerJson(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
}

async function answerEvents(response: ServerResponse, { events }: Reply, paceMs: number): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  for (const { name, data } of events) {
    if (name !== undefined) response.write(`event: ${name}\n`);
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    if (paceMs > 0) await setTimeout(paceMs);
  }
  response.end();
}
