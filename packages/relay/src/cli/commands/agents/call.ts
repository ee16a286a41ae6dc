import { text } from 'node:stream/consumers';
import { type CallProgress, RelayError, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type AgentOption, type ProjectOption, patience, withAgent, withProject } from '../../options.ts';
import { printAside, printJson } from '../../output/terminal.ts';
import { stopSignal } from '../../process/stop-signal.ts';
import { asAgent } from '../../target/connect.ts';

export const command = withAgent(withProject(new Command('call')))
  .description('Call a tool of an agent or an MCP server, or an action, and print its result as JSON')
  .argument('<target>', 'Agent.tool, server.tool or the name of an action')
  .argument('[arguments]', 'JSON object; "-" reads it from stdin')
  .option(
    '--timeout <ms>',
    'how long the call may take, also as 90s or 10m (default: 30s, or 5m if a person is asked to allow it)',
    patience,
  )
  .action(
    async (
      target: string,
      given: string | undefined,
      options: ProjectOption & AgentOption & { timeout?: number },
    ) => {
      const args = await argumentsOf(given);
      const interrupted = new AbortController();
      void stopSignal().then(() => interrupted.abort());
      const result = await asAgent(options, (relay) =>
        relay.call(target, args, {
          ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
          signal: interrupted.signal,
          onProgress: tellProgress,
        }),
      );
      printJson(result);
    },
  );

async function argumentsOf(given: string | undefined): Promise<Record<string, unknown>> {
  if (given === undefined) return {};
  const json = given === '-' ? await text(process.stdin) : given;
  try {
    const value = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw notAnObject(cause);
  }
  throw notAnObject();
}

const notAnObject = (cause?: unknown): RelayError =>
  new RelayError('InvalidArguments', 'The arguments are not a JSON object.', {
    next: `Use a JSON object such as '{"path":"src"}'`,
    cause,
  });

function tellProgress({ progress, total, message }: CallProgress): void {
  const amount = total === undefined ? String(progress) : `${progress}/${total}`;
  printAside(message === undefined ? amount : `${amount} ${safeLine(message)}`);
}
