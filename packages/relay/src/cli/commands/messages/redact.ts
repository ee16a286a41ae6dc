import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  withJson,
  withProject,
} from '../../options.ts';
import { print, printJson } from '../../output/terminal.ts';
import { asViewer } from '../../target/connect.ts';

type Options = ProjectOption & AgentOption & JsonOption & { reason?: string };

export const command = withJson(withProject(new Command('redact')))
  .option('--as <name>', 'redact as this agent (default: as the owner)')
  .description('Erase the content of a message for good')
  .argument('<message>', 'message id')
  .option('--reason <text>', 'reason, for the audit log')
  .action(async (message: string, options: Options) => {
    const reason = options.reason === undefined ? {} : { reason: options.reason };
    await asViewer(options, (relay) => relay.redact(message, reason));
    if (options.json) return printJson({ redacted: message });
    print(`Redacted ${message}. Anyone who read it before has seen it: rotate any secret it contained.`);
  });
