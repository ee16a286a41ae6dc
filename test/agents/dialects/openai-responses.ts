import type { OfferedTool, Turn } from '../script.ts';
import { type Dialect, newId, pieces, textOf, textTurns } from './dialect.ts';

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
    const said = answer.say === undefined ? [] : [textItem(answer.say)];
    const called = answer.call
      ? [
          {
            type: 'function_call',
            id: newId('fc'),
            call_id: newId('call'),
            ...answer.call,
            arguments: JSON.stringify(answer.input),
            status: 'completed',
          },
        ]
      : [];
    const output = [...said, ...called];
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
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
    const events = [
      { type: 'response.created', response: begun },
      ...output.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item },
        ...('content' in item ? deltasOf(item, output_index) : []),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response },
    ];
    return { json: response, events: events.map((data) => ({ name: data.type, data })) };
  },
};

const textItem = (text: string) => ({
  type: 'message',
  id: newId('msg'),
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

const deltasOf = ({ id, content }: ReturnType<typeof textItem>, output_index: number) =>
  pieces(content[0]?.text ?? '').map((delta) => ({
    type: 'response.output_text.delta',
    item_id: id,
    output_index,
    content_index: 0,
    delta,
  }));

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
