import type { Turn } from '../script.ts';
import { type Dialect, newId, pieces, textOf, textTurns } from './dialect.ts';

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: Array<{ function: { name: string } }>;
}
interface Request {
  model: string;
  stream?: boolean;
  tools?: Array<{ function: { name: string } }>;
  messages: Message[];
}

/** The API of OpenCode for a custom provider. */
export const openAiChat: Dialect = {
  matches: (path) => path.endsWith('/chat/completions'),

  read(body) {
    const { model, stream, tools = [], messages } = body as Request;
    return {
      model,
      streamed: stream === true,
      tools: tools.map((tool) => ({ name: tool.function.name })),
      turns: messages.flatMap(turnsOf),
    };
  },

  write(answer, { model }) {
    const base = { id: newId('chatcmpl'), created: 0, model };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const finish_reason = answer.call ? 'tool_calls' : 'stop';
    const called = answer.call && {
      tool_calls: [
        {
          index: 0,
          id: newId('call'),
          type: 'function',
          function: { name: answer.call.name, arguments: JSON.stringify(answer.input) },
        },
      ],
    };
    const message = { role: 'assistant', content: answer.say ?? null, ...called };
    const deltas = [
      { role: 'assistant', content: null },
      ...pieces(answer.say ?? '').map((content) => ({ content })),
      ...(called ? [called] : []),
    ];
    const chunk = (delta: unknown, reason: string | null) => ({
      data: {
        ...base,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
      },
    });
    const last = chunk({}, finish_reason);
    return {
      json: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
      events: [
        ...deltas.map((delta) => chunk(delta, null)),
        { data: { ...last.data, usage } },
        { data: '[DONE]' },
      ],
    };
  },
};

function turnsOf({ role, content, tool_calls: calls = [] }: Message): Turn[] {
  if (role === 'tool') return [{ kind: 'result', text: textOf(content) }];
  if (role === 'user') return textTurns('user', content);
  if (role !== 'assistant') return [];
  const said = content ? textTurns('model', content) : [];
  return [...said, ...calls.map((call): Turn => ({ kind: 'call', text: call.function.name }))];
}
