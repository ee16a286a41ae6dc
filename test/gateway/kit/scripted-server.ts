/**
 * An MCP server without a library, for tests that need exact or bad behavior.
 * Run as: node scripted-server.ts '<json of Script>'. Speaks the older eras on stdio.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Script {
  tools?: unknown[];
  resources?: unknown[];
  /** Tools offered after the tool `change` was called. */
  changedTools?: unknown[];
  /** Never answers these methods. */
  hang?: string[];
  /** Ends at once when it gets a request it does not know. */
  diesOfUnknown?: boolean;
  /** Says nothing to requests it does not know. */
  ignoresUnknown?: boolean;
  /** Ignores SIGTERM and the end of its input, and starts a child that does so too. */
  stubborn?: boolean;
  /** Appends a line to this file for each call it gets. */
  journal?: string;
  capabilities?: Record<string, unknown>;
}

const script = JSON.parse(process.argv[2] ?? '{}') as Script;
let tools = script.tools ?? [];
/** Of the call that came last. */
let progressToken: unknown;

if (script.stubborn) {
  process.on('SIGTERM', () => undefined);
  const keepAlive = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', keepAlive], { stdio: 'ignore' });
  note(`child ${child.pid}`);
  setInterval(() => undefined, 1000);
}

const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

function note(line: string): void {
  if (script.journal) appendFileSync(script.journal, `${line}\n`);
}

interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  error?: unknown;
}

const lines = createInterface({ input: process.stdin });
lines.on('close', () => {
  if (!script.stubborn) process.exit(0);
});
lines.on('line', (line) => {
  const { id, method = '', params = {}, error } = JSON.parse(line) as Message;
  if (id !== undefined && method === '') return note(`answer ${JSON.stringify(id)} ${JSON.stringify(error)}`);
  if (id === undefined) return note(`${method} ${JSON.stringify(params)}`);
  if (script.hang?.includes(method)) return;
  const answer = (result: object) => send({ id, result });
  switch (method) {
    case 'initialize':
      note(`initialize ${process.pid}`);
      return answer({
        protocolVersion: '2025-06-18',
        capabilities: script.capabilities ?? { tools: { listChanged: true } },
        serverInfo: { name: 'scripted', version: '1' },
      });
    case 'ping':
      return answer({});
    case 'tools/list':
      return answer({ tools });
    case 'resources/list':
      return answer({ resources: script.resources ?? [] });
    case 'resources/templates/list':
      return answer({ resourceTemplates: [] });
    case 'resources/subscribe':
      return answer({});
    case 'tools/call':
      if (params.name === 'verbatim') return answer(text(line));
      progressToken = (params._meta as { progressToken?: unknown } | undefined)?.progressToken;
      return call(id, String(params.name), (params.arguments ?? {}) as Record<string, unknown>);
    default:
      note(`unknown ${method}`);
      if (script.diesOfUnknown) process.exit(3);
      if (!script.ignoresUnknown)
        send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
});

function call(id: unknown, name: string, args: Record<string, unknown>): void {
  note(`call ${name} ${JSON.stringify(args)}`);
  const answer = (result: object) => send({ id, result });
  switch (name) {
    case 'crash':
      process.exit(7);
      break;
    case 'hang':
      return;
    case 'environment':
      answer(text(JSON.stringify(process.env)));
      return;
    case 'where':
      answer(text(process.cwd()));
      return;
    case 'say':
      // As it is written: `ID` stands for the id of this call.
      for (const line of args.lines as string[]) process.stdout.write(`${line.replace('ID', String(id))}\n`);
      if (args.answers) return;
      break;
    case 'notify':
      for (let n = 1; n <= Number(args.count); n++)
        send({ method: args.method, params: { ...(args.params as object), progressToken, progress: n } });
      if (args.holds) return;
      break;
    case 'huge':
      huge(id, Number(args.bytes));
      return;
    case 'fail':
      send({ id, error: { code: -32050, message: 'no luck', data: { why: 'scripted' } } });
      return;
    case 'wait':
      setTimeout(() => answer(text('waited')), Number(args.ms));
      return;
    case 'change':
      tools = script.changedTools ?? [];
      send({ method: 'notifications/tools/list_changed' });
      break;
    case 'flood':
      for (let line = 0; line < 20_000; line++) send({ method: 'notifications/tools/list_changed' });
  }
  answer(text(`${name} ${JSON.stringify(args)}`));
}

/** One answer of many megabytes, written in pieces. */
function huge(id: unknown, bytes: number): void {
  process.stdout.write('{"result":{"content":[{"type":"text","text":"');
  const piece = 'x'.repeat(1024 * 1024);
  for (let written = 0; written < bytes; written += piece.length) process.stdout.write(piece);
  process.stdout.write(`"}]},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`);
}
