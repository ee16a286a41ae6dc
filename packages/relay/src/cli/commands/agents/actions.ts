import { type ActionInfo, type InvocationInfo, safeJson, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import {
  type AgentOption,
  type JsonOption,
  type ProjectOption,
  wholeNumber,
  withJson,
  withProject,
  withViewer,
} from '../../options.ts';
import { block, tableOrBlocks } from '../../output/blocks.ts';
import { print, printJson, styled, when } from '../../output/terminal.ts';
import { asViewer } from '../../target/connect.ts';

type Options = ProjectOption & JsonOption & AgentOption & { invocations?: boolean; limit: number };

export const command = withJson(withViewer(withProject(new Command('actions'))))
  .description('List actions, or show their invocations and results')
  .argument('[invocation]', 'id of an invocation: show it with its result')
  .option('--invocations', 'list the latest invocations')
  .option('--limit <count>', 'how many invocations, at most 100', wholeNumber(1), 20)
  .action((id: string | undefined, options: Options) =>
    asViewer(options, async (relay) => {
      if (id !== undefined) return show(await relay.invocation(id), options, printInvocation);
      if (options.invocations)
        return show(await relay.invocations({ limit: options.limit }), options, printInvocations);
      return show(await relay.actions(), options, printActions);
    }),
  );

function show<T>(value: T, { json }: JsonOption, printForPerson: (value: T) => void): void {
  if (json) printJson(value);
  else printForPerson(value);
}

function printActions(actions: ActionInfo[]): void {
  if (actions.length === 0) {
    print('No actions are registered.');
    return;
  }
  const rows = actions.map((action) =>
    [action.name, action.owner, audienceOf(action), describedWithConsent(action)].map(safeLine),
  );
  print(tableOrBlocks(['ACTION', 'OWNER', 'AVAILABLE TO', 'DESCRIPTION'], rows));
}

function audienceOf({ availableTo, unknown = [] }: ActionInfo): string {
  if (availableTo === undefined) return 'everyone';
  const shown = availableTo.map((who) => (unknown.includes(who) ? `${who} (unknown)` : who));
  return shown.join(', ') || 'nobody';
}

const describedWithConsent = ({ description, consent }: ActionInfo): string =>
  consent ? `${description} (a person has to allow it)` : description;

const STATUS_STYLE = { invoked: 'yellow', completed: 'green', failed: 'red', unknown: 'yellow' } as const;

function printInvocations(invocations: InvocationInfo[]): void {
  if (invocations.length === 0) {
    print('No actions were invoked yet.');
    return;
  }
  const rows = invocations.map(({ invocationId, actionName, status, caller, invokedAt }) => [
    safeLine(actionName),
    styled(STATUS_STYLE[status], status),
    safeLine(caller.name),
    when(invokedAt),
    safeLine(invocationId),
  ]);
  print(tableOrBlocks(['ACTION', 'STATUS', 'CALLER', 'WHEN', 'INVOCATION'], rows));
}

function printInvocation(invocation: InvocationInfo): void {
  const { invocationId, actionName, status, owner, caller, input, invokedAt, endedAt, result, error } =
    invocation;
  print(
    block(safeLine(`${actionName} of ${owner}`), [
      ['invocation', [safeLine(invocationId)]],
      ['status', [styled(STATUS_STYLE[status], status)]],
      ['caller', [safeLine(caller.name)]],
      ['invoked', [when(invokedAt)]],
      ['ended', endedAt === undefined ? [] : [when(endedAt)]],
      ['input', [safeJson(JSON.stringify(input))]],
      ['result', result === undefined ? [] : [safeJson(JSON.stringify(result))]],
      ['error', error ? [safeLine(`${error.message} [${error.code}]`)] : []],
    ]),
  );
}
