import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type GetPromptResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Prompt } from '../../../packages/mcp/src/framework/prompt.ts';
import type { Resource, ResourceTemplate } from '../../../packages/mcp/src/framework/resource.ts';
import { type Call, defineTool, LOOKS, type Tool } from '../../../packages/mcp/src/framework/tool.ts';
import { ToolTable } from '../../../packages/mcp/src/framework/tool-table.ts';
import type { Offering } from '../../../packages/mcp/src/server/client-context.ts';

/** What the official conformance suite expects a server to offer, written as definitions of our own framework. */
export function withFixtures(offering: Offering): Offering {
  const [first, ...others] = offering.tools.toolsets;
  if (!first) throw new Error('A offering has a toolset.');
  return {
    tools: new ToolTable([{ ...first, tools: [...first.tools, ...TOOLS] }, ...others]),
    resources: [...offering.resources, ...RESOURCES],
    templates: [...offering.templates, TEMPLATE],
    prompts: [...offering.prompts, ...PROMPTS],
    capabilities: { logging: {} },
  };
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' } as const;
const text = (words: string) => ({ type: 'text', text: words }) as const;
const says = (words: string): CallToolResult => ({ content: [text(words)] });

type Handler = (call: Call, args: Record<string, unknown>) => ReturnType<Tool['handler']>;

const fixture = (name: string, handler: Handler, input: z.ZodObject = z.object({})): Tool =>
  defineTool({
    name,
    description: `Fixture ${name}`,
    input,
    annotations: LOOKS,
    handler: (_participant, args, call) => handler(call, args),
  });

// ── Content, logs, progress, failure ─────────────────────────────────────────

const contentTools = [
  fixture('test_simple_text', () => says('This is a simple text response for testing.')),
  fixture('test_image_content', () => ({ content: [image] })),
  fixture('test_audio_content', () => ({
    content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }],
  })),
  fixture('test_embedded_resource', () => ({
    content: [
      resourceBlock('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
  })),
  fixture('test_multiple_content_types', () => ({
    content: [
      text('Multiple content types test:'),
      image,
      resourceBlock('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  fixture('test_tool_with_logging', async ({ mcp }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcp.mcpReq.log('info', line);
      await delay(50);
    }
    return says('logged');
  }),
  fixture('test_logging_tool', async ({ mcp }) => {
    await mcp.mcpReq.log('info', 'one line');
    return says('logged');
  }),
  fixture('test_tool_with_progress', async (call) => {
    for (const progress of [0, 50, 100]) {
      await call.progress(progress, 100, `${progress} of 100`);
      await delay(50);
    }
    return says(String(call.mcp.mcpReq._meta?.progressToken));
  }),
  fixture('test_error_handling', () => {
    throw new Error('This tool fails on purpose');
  }),
  fixture('test_reconnection', async ({ mcp }) => {
    mcp.http?.closeSSE?.();
    await delay(100);
    return says('said after the stream was closed');
  }),
];

function resourceBlock(uri: string, mimeType: string, words: string) {
  return { type: 'resource', resource: { uri, mimeType, text: words } } as const;
}

// ── Questions to the client, as the 2025 revisions ask them ──────────────────

const numbered = (prefix: string, title: string) =>
  [1, 2, 3].map((number) => ({ const: `${prefix}${number}`, title: `${title} ${number}` }));

const form = (message: string, properties: object, required: string[] = []) =>
  ({ message, requestedSchema: { type: 'object', properties, required } }) as ElicitRequestFormParams;

/** In the newer revision a server cannot ask in the middle of a call; the tool then says so. */
const asking = (name: string, params: (args: Record<string, unknown>) => ElicitRequestFormParams) =>
  fixture(
    name,
    async ({ mcp }, args) => {
      const { action, content } = await mcp.mcpReq.elicitInput(params(args));
      return says(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`);
    },
    z.object({ message: z.string().optional() }),
  );

const questionTools = [
  fixture(
    'test_sampling',
    async ({ mcp }, { prompt }) => {
      const messages = [{ role: 'user' as const, content: text(String(prompt)) }];
      const { content } = await mcp.mcpReq.requestSampling({ messages, maxTokens: 100 });
      return says(`LLM response: ${'text' in content ? content.text : ''}`);
    },
    z.object({ prompt: z.string() }),
  ),
  asking('test_elicitation', ({ message }) =>
    form(String(message), { username: { type: 'string' }, email: { type: 'string' } }, ['username', 'email']),
  ),
  asking('test_elicitation_sep1034_defaults', () =>
    form('With defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  asking('test_elicitation_sep1330_enums', () =>
    form('With choices', {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: numbered('value', 'Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: numbered('value', 'Choice') } },
    }),
  ),
];

// ── Questions to the client, as revision 2026-07-28 asks them ────────────────

const codec = createRequestStateCodec({ key: randomBytes(32), ttlSeconds: 600 });

/** The state of an earlier round; one that was tampered with is refused. */
async function stateOf<T>(mcp: ServerContext): Promise<T | undefined> {
  const raw = mcp.mcpReq.requestState<string>();
  if (raw === undefined) return undefined;
  try {
    return (await codec.verify(raw, mcp)) as T;
  } catch (cause) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Invalid or expired requestState: ${String(cause)}`,
    );
  }
}

const ask = {
  name: () => inputRequired.elicit(form('What is your name?', { name: { type: 'string' } }, ['name'])),
  color: () => inputRequired.elicit(form('Which colour?', { color: { type: 'string' } }, ['color'])),
  confirm: () => inputRequired.elicit(form('Go on?', { ok: { type: 'boolean' } }, ['ok'])),
  context: () =>
    inputRequired.elicit(form('In which context?', { context: { type: 'string' } }, ['context'])),
  sample: (words: string) =>
    inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens: 50 }),
  roots: () => inputRequired.listRoots(),
};

const round = (name: string, handler: Handler) => fixture(`test_input_required_result_${name}`, handler);

/** Asks for a confirmation with sealed state, and says `done` when both came back whole. */
const sealed = (name: string, done: string) =>
  round(name, async ({ mcp }) => {
    const state = await stateOf(mcp);
    if (state !== undefined && acceptedContent(mcp.mcpReq.inputResponses, 'confirm')) return says(done);
    const requestState = await codec.mint({ asked: name });
    return inputRequired({ inputRequests: { confirm: ask.confirm() }, requestState });
  });

const roundTools = [
  round('elicitation', ({ mcp }) => {
    const answer = acceptedContent(mcp.mcpReq.inputResponses, 'user_name', z.object({ name: z.string() }));
    return answer
      ? says(`Hello, ${answer.name}!`)
      : inputRequired({ inputRequests: { user_name: ask.name() } });
  }),
  round('sampling', ({ mcp }) => {
    const answer = mcp.mcpReq.inputResponses?.capital_question as { content?: { text?: string } } | undefined;
    if (answer) return says(`The model said: ${answer.content?.text}`);
    return inputRequired({
      inputRequests: { capital_question: ask.sample('What is the capital of France?') },
    });
  }),
  round('list_roots', ({ mcp }) =>
    mcp.mcpReq.inputResponses?.client_roots
      ? says('roots received')
      : inputRequired({ inputRequests: { client_roots: ask.roots() } }),
  ),
  sealed('request_state', 'state-ok'),
  sealed('tampered_state', 'integrity-ok'),
  round('multiple_inputs', async ({ mcp }) => {
    const { user_name, greeting, client_roots } = mcp.mcpReq.inputResponses ?? {};
    if (user_name && greeting && client_roots) return says('all three received');
    return inputRequired({
      inputRequests: { user_name: ask.name(), greeting: ask.sample('Greet me'), client_roots: ask.roots() },
      requestState: await codec.mint({ asked: 'multiple' }),
    });
  }),
  round('multi_round', async ({ mcp }) => {
    const { rounds = 0 } = (await stateOf<{ rounds: number }>(mcp)) ?? {};
    if (rounds === 2) return says('both rounds done');
    const inputRequests = rounds === 0 ? { step1: ask.name() } : { step2: ask.color() };
    return inputRequired({ inputRequests, requestState: await codec.mint({ rounds: rounds + 1 }) });
  }),
  round('capabilities', ({ mcp }) => {
    if (mcp.mcpReq.inputResponses) return says('answered');
    const envelope = mcp.mcpReq.envelope as Record<string, unknown> | undefined;
    const can = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
    const inputRequests = {
      ...(can.elicitation ? { user_name: ask.name() } : {}),
      ...(can.sampling ? { greeting: ask.sample('Greet me') } : {}),
      ...(can.roots ? { client_roots: ask.roots() } : {}),
    };
    return Object.keys(inputRequests).length > 0
      ? inputRequired({ inputRequests })
      : says('nothing to ask with');
  }),
  fixture('test_missing_capability', ({ mcp }) =>
    mcp.mcpReq.inputResponses
      ? says('sampled')
      : inputRequired({ inputRequests: { a: ask.sample('Ping?') } }),
  ),
  fixture('test_streaming_elicitation', () => says('no request of its own')),
];

// ── Schemas ──────────────────────────────────────────────────────────────────

const schemaTool = fixture(
  'json_schema_2020_12_tool',
  (_call, args) => says(JSON.stringify(args)),
  z.looseObject({}).meta({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    // As text, because an object of JavaScript should have no property `then`.
    ...JSON.parse(`{
      "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
      "then": { "required": ["phone"] },
      "else": { "required": ["email"] }
    }`),
    additionalProperties: false,
  }),
);

const TOOLS: Tool[] = [...contentTools, ...questionTools, ...roundTools, schemaTool];

// ── Resources and prompts ────────────────────────────────────────────────────

const resource = (name: string, mimeType: string, body: { text: string } | { blob: string }): Resource => {
  const uri = `test://${name}`;
  return {
    uri,
    name,
    description: `Fixture ${name}`,
    mimeType,
    changesWith: [],
    read: async () => ({ contents: [{ uri, mimeType, ...body }] }),
  };
};

const RESOURCES: Resource[] = [
  resource('static-text', 'text/plain', { text: 'This is the content of the static text resource.' }),
  resource('static-binary', 'image/png', { blob: PIXEL }),
  resource('watched-resource', 'text/plain', { text: 'Watch this.' }),
];

const TEMPLATE: ResourceTemplate = {
  uriTemplate: 'test://template/{id}/data',
  name: 'template',
  description: 'Fixture template',
  mimeType: 'application/json',
  match: (uri) => /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1],
  values: async () => ['123', '456'],
  read: async (_participant, id, uri) => ({
    contents: [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }),
};

const user = (...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});

const argument = (name: string) => ({
  name,
  description: `Argument ${name}`,
  required: true,
  values: async () => ['paris', 'park', 'party'],
});

const PROMPTS: Prompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'Fixture',
    arguments: [],
    get: () => user(text('This is a simple prompt for testing.')),
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Fixture',
    arguments: [argument('arg1'), argument('arg2')],
    get: ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Fixture',
    arguments: [argument('resourceUri')],
    get: ({ resourceUri = '' }) =>
      user(
        resourceBlock(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  },
  {
    name: 'test_prompt_with_image',
    description: 'Fixture',
    arguments: [],
    get: () => user(image, text('Please look at the image above.')),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Fixture',
    arguments: [],
    get: (_args, { mcp }) => {
      const answer = acceptedContent(
        mcp.mcpReq.inputResponses,
        'user_context',
        z.object({ context: z.string() }),
      );
      if (answer) return user(text(`In the context of ${answer.context}.`));
      return inputRequired({ inputRequests: { user_context: ask.context() } });
    },
  },
];
