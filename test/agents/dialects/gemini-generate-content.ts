import type { Turn } from '../script.ts';
import { type Dialect, newId, textOf } from './dialect.ts';

interface Part {
  text?: string;
  functionCall?: { name: string };
  functionResponse?: { response: unknown };
}
interface Request {
  tools?: Array<{ functionDeclarations?: Array<{ name: string }> }>;
  contents?: Array<{ role?: string; parts?: Part[] }>;
}

/** The API of Gemini CLI; the model and the format of the answer are in the path. */
export const geminiGenerateContent: Dialect = {
  matches: (path) => /:(stream)?generateContent$/i.test(path),

  read(body, path) {
    const { tools = [], contents = [] } = body as Request;
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      streamed: path.includes(':stream'),
      tools: tools.flatMap(({ functionDeclarations = [] }) =>
        functionDeclarations.map(({ name }) => ({ name })),
      ),
      turns: contents.flatMap(({ role, parts = [] }) => parts.flatMap((part) => turnsOf(part, role))),
    };
  },

  write(answer, { model }) {
    const part =
      'call' in answer
        ? { functionCall: { id: newId('fc'), name: answer.call.name, args: answer.input } }
        : { text: answer.say };
    const json = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: model,
    };
    return { json, events: [{ data: json }] };
  },
};

function turnsOf({ text, functionCall, functionResponse }: Part, role: string | undefined): Turn[] {
  if (functionResponse) return [{ kind: 'result', text: textOf(functionResponse.response) }];
  if (functionCall) return [{ kind: 'call', text: functionCall.name }];
  return text === undefined ? [] : [{ kind: role === 'model' ? 'model' : 'user', text }];
}
