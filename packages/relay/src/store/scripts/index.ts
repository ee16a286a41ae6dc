import * as agents from './agents.ts';
import * as attachments from './attachments.ts';
import * as audit from './audit.ts';
import * as channels from './channels.ts';
import * as conversations from './conversations.ts';
import * as counts from './counts.ts';
import * as deletion from './deletion.ts';
import * as deliveries from './deliveries.ts';
import * as held from './held.ts';
import * as history from './history.ts';
import * as invocations from './invocations.ts';
import * as messages from './messages.ts';
import * as pageSessions from './page-sessions.ts';
import * as reactions from './reactions.ts';
import * as runs from './runs.ts';
import type { Script } from './script.ts';
import * as search from './search.ts';
import * as tools from './tools.ts';
import * as transfer from './transfer/index.ts';
import * as workspaces from './workspaces.ts';

/** Everything that only reads. */
export const queries = {
  ...workspaces.queries,
  ...pageSessions.queries,
  ...agents.queries,
  ...tools.queries,
  ...channels.queries,
  ...conversations.queries,
  ...messages.queries,
  ...deliveries.queries,
  ...history.queries,
  ...search.queries,
  ...counts.queries,
  ...reactions.queries,
  ...attachments.queries,
  ...held.queries,
  ...invocations.queries,
  ...runs.queries,
  ...audit.queries,
  ...transfer.queries,
};

/** Everything that writes, except `appendMessage`, for which each database has its own fast path. */
export const commands = {
  ...workspaces.commands,
  ...pageSessions.commands,
  ...agents.commands,
  ...tools.commands,
  ...channels.commands,
  ...conversations.commands,
  ...messages.commands,
  ...deliveries.commands,
  ...search.commands,
  ...reactions.commands,
  ...attachments.commands,
  ...held.commands,
  ...invocations.commands,
  ...runs.commands,
  ...audit.commands,
  ...deletion.commands,
  ...transfer.commands,
};

/** The store methods of a set of scripts. */
export type Methods<Scripts> = {
  [Name in keyof Scripts]: Scripts[Name] extends (...args: infer Args) => Script<infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

/** A call of a script: its name, then its arguments. */
export type ScriptCall = [name: string, ...args: unknown[]];

/** Turns a set of scripts into methods that pass the call to `run`. */
export function methodsOf<Scripts extends object>(
  scripts: Scripts,
  run: (call: ScriptCall) => Promise<unknown>,
): Methods<Scripts> {
  const methods = Object.keys(scripts).map((name) => [name, (...args: unknown[]) => run([name, ...args])]);
  return Object.fromEntries(methods) as Methods<Scripts>;
}

/** The script a call names, ready to run. */
export function scriptOf(scripts: object, [name, ...args]: ScriptCall): Script<unknown> {
  const script = scripts[name as keyof typeof scripts] as (...args: unknown[]) => Script<unknown>;
  return script(...args);
}
