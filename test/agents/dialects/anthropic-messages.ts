import type { Turn } from '../script.ts';
import { type Dialect, newId, textOf, textTurns } from './dialect.ts';

type Role = 'user' | 'assistant' | 'system';
interface Part {
  type: string;
  text?: string;
  name?: string;
  content?: unknown;
}
interface Request {
  model: string;
  stream?: boolean;
  tools?: Array<{ name: string }>;
  messages: Array<{ role: Role; content: string | Part[] }>;
}

/** The API of Claude Code. */
export const anthropicMessages: Dialect = {
  matches: (path) => path.endsWith('/v1/messages'),

  read(body) {
    const { model, stream, tools = [], messages } = body as Request;
    return {
      model,
      streamed: stream === true,
      tools: tools.map(({ name }) => ({ name })),
      turns: messages.flatMap(({ role, content }) =>
        typeof content === 'string'
          ? textTurns(kindOf(role), content)
          : content.flatMap((part) => turnsOf(part, role)),
      ),
    };
  },

  write(answer, { model }) {
    const isCall = 'call' in answer;
    const block = isCall
      ? { type: 'tool_use', id: newId('toolu'), name: answer.call.name, input: answer.input }
      : { type: 'text', text: answer.say };
    const emptyBlock = isCall ? { ...block, input: {} } : { type: 'text', text: '' };
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) }
      : { type: 'text_delta', text: answer.say };
    const stop = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
    const message = {
      id: newId('msg'),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: emptyBlock },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: stop, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    return {
      json: { ...message, content: [block], ...stop },
      events: events.map((data) => ({ name: data.type, data })),
    };
  },
};

function turnsOf(part: Part, role: Role): Turn[] {
  if (part.type === 'tool_result') return [{ kind: 'result', text: textOf(part.content) }];
  if (part.type === 'tool_use') return [{ kind: 'call', text: part.name ?? '' }];
  return part.type === 'text' ? textTurns(kindOf(role), part.text) : [];
}

/** What the client says in the middle of a turn is told by nobody else. */
const kindOf = (role: Role) => (role === 'assistant' ? 'model' : 'user');
