import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface HttpEntry {
  url: string;
  headers: Record<string, string>;
}

/** The file of a project in which each client looks for servers, and its entry for one over HTTP. */
const FILES: Readonly<Record<string, [file: string, content: (entry: HttpEntry) => string]>> = {
  claude: ['.mcp.json', (entry) => json({ mcpServers: { 'agent-relay': { type: 'http', ...entry } } })],
  codex: [
    '.codex/config.toml',
    ({ url, headers }) =>
      `[mcp_servers.agent-relay]\nurl = ${JSON.stringify(url)}\nhttp_headers = { ${Object.entries(headers)
        .map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
        .join(', ')} }\n`,
  ],
  gemini: [
    '.gemini/settings.json',
    ({ url, headers }) => json({ mcpServers: { 'agent-relay': { httpUrl: url, headers, trust: true } } }),
  ],
  opencode: [
    'opencode.json',
    (entry) => json({ mcp: { 'agent-relay': { type: 'remote', enabled: true, ...entry } } }),
  ],
};

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** Makes a client use the relay over HTTP, in this project. */
export async function writeHttpEntry(client: string, project: string, entry: HttpEntry): Promise<void> {
  const [file, content] = FILES[client] ?? [];
  if (file === undefined || content === undefined)
    throw new Error(`No entry over HTTP is known for ${client}.`);
  await mkdir(dirname(join(project, file)), { recursive: true });
  await writeFile(join(project, file), content(entry));
}
