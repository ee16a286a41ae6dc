import type { Turn } from '../script.ts';
import { type Dialect, newId, pieces, textOf } from './dialect.ts';

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
    const said = answer.say === undefined ? [] : pieces(answer.say).map((text) => ({ text }));
    const called = answer.call
      ? [{ functionCall: { id: newId('fc'), name: answer.call.name, args: answer.input } }]
      : [];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const answering = (parts: unknown[], isLast: boolean) => ({
      candidates: [{ index: 0, content: { role: 'model', parts }, ...(isLast && { finishReason: 'STOP' }) }],
      usageMetadata,
      modelVersion: model,
    });
    const parts = [...said, ...called];
    return {
      json: answering(parts, true),
      events: parts.map((part, index) => ({ data: answering([part], index === parts.length - 1) })),
    };
  },
};

function turnsOf({ text, functionCall, functionResponse }: Part, role: string | undefined): Turn[] {
  if (functionResponse) return [{ kind: 'result', text: textOf(functionResponse.response) }];
  if (functionCall) return [{ kind: 'call', text: functionCall.name }];
  return text === undefined ? [] : [{ kind: role === 'model' ? 'model' : 'user', text }];
}
