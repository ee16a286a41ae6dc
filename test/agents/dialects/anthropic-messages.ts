import type { Turn } from '../script.ts';
import { type Dialect, newId, pieces, textOf, textTurns } from './dialect.ts';

type Role = 'user' | 'assistant' | 'system';
interface Part {
  type: string;
  text?: string;
  name?: string;
  content?: unknown;
}
type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };
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
    const blocks: Block[] = [];
    if (answer.say !== undefined) blocks.push({ type: 'text', text: answer.say });
    if (answer.call)
      blocks.push({ type: 'tool_use', id: newId('toolu'), name: answer.call.name, input: answer.input });
    const stop = { stop_reason: answer.call ? 'tool_use' : 'end_turn', stop_sequence: null };
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
      ...blocks.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: { ...block, ...emptyOf(block) } },
        ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: stop, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    return {
      json: { ...message, content: blocks, ...stop },
      events: events.map((data) => ({ name: data.type, data })),
    };
  },
};

const emptyOf = ({ type }: Block) => (type === 'text' ? { text: '' } : { input: {} });

const deltasOf = (block: Block) =>
  block.type === 'text'
    ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];

function turnsOf(part: Part, role: Role): Turn[] {
  if (part.type === 'tool_result') return [{ kind: 'result', text: textOf(part.content) }];
  if (part.type === 'tool_use') return [{ kind: 'call', text: part.name ?? '' }];
  return part.type === 'text' ? textTurns(kindOf(role), part.text) : [];
}

/** What the client says in the middle of a turn is told by nobody else. */
const kindOf = (role: Role) => (role === 'assistant' ? 'model' : 'user');
