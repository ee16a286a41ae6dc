import type { OfferedTool, Turn } from '../script.ts';
import { type Dialect, newId, textOf, textTurns } from './dialect.ts';

interface Item {
  type?: string;
  role?: string;
  name?: string;
  content?: unknown;
  output?: unknown;
}
interface Tool {
  type: string;
  name?: string;
  tools?: Array<{ name: string }>;
}
interface Request {
  model: string;
  stream?: boolean;
  tools?: Tool[];
  input: Item[];
}

/** The API of Codex. */
export const openAiResponses: Dialect = {
  matches: (path) => path.endsWith('/responses'),

  read(body) {
    const { model, stream, tools = [], input } = body as Request;
    return { model, streamed: stream === true, tools: tools.flatMap(toolsIn), turns: input.flatMap(turnsOf) };
  },

  write(answer, { model }) {
    const isCall = 'call' in answer;
    const item = isCall
      ? {
          type: 'function_call',
          id: newId('fc'),
          call_id: newId('call'),
          ...answer.call,
          arguments: JSON.stringify(answer.input),
          status: 'completed',
        }
      : {
          type: 'message',
          id: newId('msg'),
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: answer.say, annotations: [] }],
        };
    const begun = {
      id: newId('resp'),
      object: 'response',
      created_at: 0,
      model,
      status: 'in_progress',
      output: [],
    };
    const response = {
      ...begun,
      status: 'completed',
      output: [item],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
    const text = isCall
      ? []
      : [
          {
            type: 'response.output_text.delta',
            item_id: item.id,
            output_index: 0,
            content_index: 0,
            delta: answer.say,
          },
        ];
    const events = [
      { type: 'response.created', response: begun },
      { type: 'response.output_item.added', output_index: 0, item },
      ...text,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
    return { json: response, events: events.map((data) => ({ name: data.type, data })) };
  },
};

const toolsIn = ({ type, name, tools = [] }: Tool): OfferedTool[] => {
  if (name === undefined) return [];
  return type === 'namespace' ? tools.map((tool) => ({ name: tool.name, namespace: name })) : [{ name }];
};

function turnsOf({ type = 'message', role, name, content, output }: Item): Turn[] {
  if (type.endsWith('_call_output')) return [{ kind: 'result', text: textOf(output) }];
  if (type.endsWith('_call')) return [{ kind: 'call', text: name ?? '' }];
  if (type !== 'message') return [];
  return textTurns(role === 'assistant' ? 'model' : 'user', content);
}
