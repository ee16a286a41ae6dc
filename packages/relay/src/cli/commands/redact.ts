import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withJson,
  withProject,
  withViewer,
} from '../options.ts';
import { print, printJson } from '../output/terminal.ts';
import { asViewer } from '../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption & { reason?: string };

export const command = withJson(withViewer(withProject(new Command('redact'))))
  .description('Empty a message that should not have been sent, for good.')
  .argument('<message>', 'its id')
  .option('--reason <text>', 'why, for the audit trail')
  .action(async (message: string, options: Options) => {
    const reason = options.reason === undefined ? {} : { reason: options.reason };
    await asViewer(options, (relay) => relay.redact(message, reason));
    if (options.json) return printJson({ redacted: message });
    print(`${message} is empty now. Whoever read it before still knows: change a secret that was in it.`);
  });
