import { describe, expect, test } from 'vitest';
import { type Answer, nextAnswer, type Turn } from './script.ts';
import { startScriptedModel } from './scripted-model.ts';

const PROMPT = 'Please:\nuse relay_send {"to":"Bob","message":"use {} well"}\nuse relay_inbox {}';
const TOOLS = [{ name: 'mcp__agent-relay__relay_send' }, { name: 'relay_inbox', namespace: 'agent_relay' }];

describe('the script', () => {
  const turns: Turn[] = [{ kind: 'user', text: PROMPT }];
  const answerAfter = (...more: Turn[]): Answer => nextAnswer([...turns, ...more], TOOLS);
  const result = (text: string): Turn => ({ kind: 'result', text });

  test('is followed step by step, whatever else is said in between', () => {
    expect(answerAfter()).toEqual({ call: TOOLS[0], input: { to: 'Bob', message: 'use {} well' } });
    expect(answerAfter(result('sent'), { kind: 'user', text: 'By the way.' })).toEqual({
      call: TOOLS[1],
      input: {},
    });
    expect(answerAfter(result('sent'), result('no messages'))).toEqual({ say: 'Finished: no messages' });
  });

  test('of a newer prompt replaces it', () => {
    const newer: Turn = { kind: 'user', text: 'use relay_inbox {"limit":1}' };
    expect(answerAfter(result('sent'), newer)).toEqual({ call: TOOLS[1], input: { limit: 1 } });
  });

  test('has words beside a step, and in place of the last result', () => {
    const asked: Turn = {
      kind: 'user',
      text: 'say "First.\\nOne."\nuse relay_inbox {}\nsay "All \\"done\\"."',
    };
    expect(nextAnswer([asked], TOOLS)).toEqual({ say: 'First.\nOne.', call: TOOLS[1], input: {} });
    expect(nextAnswer([asked, result('no messages')], TOOLS)).toEqual({ say: 'All "done".' });
    const said: Turn = { kind: 'model', text: 'All "done".' };
    expect(nextAnswer([asked, result('no messages'), said], TOOLS)).toEqual({ say: 'Nothing to do.' });
  });

  test('names a tool that is not offered, and is not followed where none are', () => {
    expect(nextAnswer([{ kind: 'user', text: 'use relay_fly {}' }], TOOLS)).toEqual({
      say: 'There is no tool relay_fly.',
    });
    expect(nextAnswer(turns, [])).toEqual({ say: 'Nothing to do.' });
  });
});

const NAME = 'mcp_relay_send';
const CASES = [
  {
    api: 'Anthropic messages',
    path: '/v1/messages',
    body: {
      model: 'm',
      tools: [{ name: NAME }],
      messages: [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }],
    },
    call: { content: [{ type: 'tool_use', name: NAME, input: { to: 'Bob' } }], stop_reason: 'tool_use' },
    streamed: /event: content_block_delta\ndata: .*partial_json.*\n\n[\s\S]*event: message_stop/,
  },
  {
    api: 'OpenAI responses',
    path: '/v1/responses',
    body: {
      model: 'm',
      tools: [{ type: 'namespace', name: 'mcp', tools: [{ name: 'relay_send' }] }],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: PROMPT }] }],
    },
    call: { output: [{ type: 'function_call', name: 'relay_send', namespace: 'mcp' }] },
    streamed: /event: response.output_item.done\ndata: .*function_call.*\n\n[\s\S]*event: response.completed/,
  },
  {
    api: 'OpenAI chat completions',
    path: '/v1/chat/completions',
    body: {
      model: 'm',
      tools: [{ type: 'function', function: { name: NAME } }],
      messages: [{ role: 'user', content: PROMPT }],
    },
    call: {
      choices: [{ message: { tool_calls: [{ function: { name: NAME } }] }, finish_reason: 'tool_calls' }],
    },
    streamed: /data: .*tool_calls.*\n\n[\s\S]*data: \[DONE\]/,
  },
  {
    api: 'Gemini generateContent',
    path: '/v1beta/models/m:generateContent',
    body: {
      tools: [{ functionDeclarations: [{ name: NAME }] }],
      contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
    },
    call: { candidates: [{ content: { parts: [{ functionCall: { name: NAME, args: { to: 'Bob' } } }] } }] },
    streamed: /data: .*functionCall.*\n\n/,
  },
];

describe.each(CASES)('in the words of $api', ({ path, body, call, streamed }) => {
  const ask = async (url: string, content: unknown) =>
    await (await fetch(url, { method: 'POST', body: JSON.stringify(content) })).text();

  test('the model calls the tool, and remembers what it was asked', async () => {
    await using model = await startScriptedModel();
    expect(JSON.parse(await ask(model.url + path, body))).toMatchObject(call);
    expect(model.requests).toMatchObject([{ turns: [{ kind: 'user', text: PROMPT }], streamed: false }]);
  });

  test('the model streams the call', async () => {
    await using model = await startScriptedModel();
    const streaming = path.replace(':generate', ':streamGenerate');
    expect(await ask(model.url + streaming, { ...body, stream: true })).toMatch(streamed);
  });
});
