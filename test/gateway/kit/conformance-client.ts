/**
 * The client that the official conformance suite drives: an SDK client in front of the gateway, the suite's server
 * behind it. The suite gives the server's URL as the last argument and the scenario in the environment.
 */
import type { Client } from '@modelcontextprotocol/client';
import { GatewayKit } from './gateway-kit.ts';

const modern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  toolCalls?: Array<{ name: string; arguments: Record<string, unknown> }>;
};

await using kit = await GatewayKit.start(
  [{ name: 'suite', url: process.argv.at(-1), type: 'http', scope: 'session' }],
  {
    startupMs: 20_000,
  },
);
const client: Client = await kit.client({
  capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
  ...(modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
});
interface Property {
  type?: string;
  default?: unknown;
}
const examples: Record<string, unknown> = { number: 5, integer: 5, boolean: true };
const filled = (
  schema: { properties?: Record<string, unknown>; required?: string[] },
  useDefaults: boolean,
) =>
  Object.fromEntries(
    (schema.required ?? []).map((name) => {
      const property = (schema.properties?.[name] ?? {}) as Property;
      return [name, (useDefaults ? property.default : undefined) ?? examples[property.type ?? ''] ?? 'text'];
    }),
  );
client.setRequestHandler('elicitation/create', ({ params }) => ({
  action: 'accept',
  content: filled('requestedSchema' in params ? (params.requestedSchema as object) : {}, true) as Record<
    string,
    string
  >,
}));
client.setRequestHandler('sampling/createMessage', () => ({
  role: 'assistant',
  model: 'm',
  content: { type: 'text', text: 'ok' },
}));
client.setRequestHandler('roots/list', () => ({ roots: [] }));

const { tools } = await client.listTools();
for (const { name, inputSchema } of tools.filter((tool) => !/^relay_|json_schema_echo/.test(tool.name))) {
  const wanted = context.toolCalls?.filter((call) => call.name === name).map((call) => call.arguments);
  for (const args of wanted?.length ? wanted : [filled(inputSchema as object, false)]) {
    await client
      .callTool({ name, arguments: args })
      .catch((error: Error) => console.error(name, error.message));
  }
}
const echo = tools.find(({ name }) => name === 'json_schema_echo');
const schema = tools.find(({ name }) => /2020_12/.test(name))?.inputSchema;
if (echo) await client.callTool({ name: echo.name, arguments: { schema } });
if (scenario === 'http-standard-headers') {
  for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
  for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
}
// The suite watches whether the stream that its server closes is opened again.
if (scenario === 'sse-retry') await new Promise((resolve) => setTimeout(resolve, 2500));
