import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MCP_PROGRAM } from '../mcp/kit/clients.ts';

/** A message between a client and its MCP server. */
export interface TappedMessage {
  from: 'client' | 'server';
  message: { method?: string; params?: Record<string, unknown>; result?: Record<string, unknown> };
}

/** Puts a program between a client and its MCP server, which writes down what both say; returns how to read that. */
export async function tapServer(
  /** The client's configuration, with the command of the server. */
  file: string,
  directory: string,
): Promise<() => Promise<TappedMessage[]>> {
  const [program, log] = [join(directory, 'tap.mjs'), join(directory, 'tap.jsonl')];
  await writeFile(log, '');
  await writeFile(program, programWith(log));
  const text = await readFile(file, 'utf8');
  if (!text.includes(MCP_PROGRAM)) throw new Error(`${file} has no server of the relay.`);
  await writeFile(file, text.replace(MCP_PROGRAM, program));
  return async () =>
    (await readFile(log, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
}

const programWith = (log: string): string => `
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const server = spawn(process.execPath, [${JSON.stringify(MCP_PROGRAM)}, ...process.argv.slice(2)], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const note = (from, input) =>
  createInterface({ input }).on('line', (line) =>
    appendFileSync(${JSON.stringify(log)}, '{"from":"' + from + '","message":' + line + '}\\n'),
  );
note('client', process.stdin);
note('server', server.stdout);
process.stdin.pipe(server.stdin);
server.stdout.pipe(process.stdout);
server.on('exit', (code) => process.exit(code ?? 1));
`;
