import { isDeepStrictEqual } from 'node:util';
import { RelayError } from '@agent-relay/protocol';
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { isTable, type Table } from './config-format.ts';
import { insertElement, insertProperty, removeProperty } from './json-edits.ts';
import { json } from './json-text.ts';

/** Part of every command of the relay, to find it again. */
export const HOOK_MARK = 'RELAY_HOOK=';

/** What a client runs at one event. */
export interface HookGroup {
  matcher?: string;
  hooks: ReadonlyArray<Readonly<Record<string, string | number | boolean>>>;
}

/** The text of a file after an edit, and what of it is the relay's, before and after. */
export interface HookEdit {
  text: string;
  old: Table | undefined;
  now: Table | undefined;
}

/** Adds the relay's hooks after the existing ones; with no groups, removes them. */
export function withHooks(
  file: string,
  text: string,
  groups: Readonly<Record<string, HookGroup>> = {},
): HookEdit {
  const before = parsed(file, text);
  const old = oursIn(before);
  const now = Object.fromEntries(Object.entries(groups).map(([event, group]) => [event, [group]]));
  if (isDeepStrictEqual(old, now)) return { text, old: shown(old), now: shown(now) };
  let edited = text.trim() === '' ? '{}\n' : text;
  for (const [event, list] of Object.entries(hooksIn(before))) edited = withoutOurs(edited, event, list);
  for (const [event, group] of Object.entries(groups)) edited = withGroup(edited, event, group);
  const after = parsed(file, edited);
  const isRight =
    isDeepStrictEqual(oursIn(after), now) && isDeepStrictEqual(othersIn(after), othersIn(before));
  if (isRight) return { text: edited, old: shown(old), now: shown(now) };
  throw new RelayError(
    'InvalidClientConfig',
    `${file} writes "hooks" in a form that cannot be edited safely.`,
    {
      next: 'Edit the hooks by hand; docs/clients.md shows them.',
    },
  );
}

const shown = (hooks: Table): Table | undefined => (Object.keys(hooks).length > 0 ? { hooks } : undefined);

export function parsed(file: string, text: string): Table {
  const result = json.parse(text);
  if ('value' in result) return result.value;
  const { problem, line, column } = result;
  throw new RelayError('InvalidClientConfig', `${file}:${line}:${column} cannot be parsed: ${problem}.`);
}

const hooksIn = ({ hooks }: Table): Table => (isTable(hooks) ? hooks : {});

const isOurs = (group: unknown): boolean =>
  isTable(group) &&
  Array.isArray(group.hooks) &&
  group.hooks.some((hook) => isTable(hook) && String(hook.command).includes(HOOK_MARK));

/** By event, what is left of them. */
const filtered = (value: Table, keep: (group: unknown) => boolean): Table =>
  Object.fromEntries(
    Object.entries(hooksIn(value)).flatMap(([event, list]) => {
      const kept = Array.isArray(list) ? list.filter(keep) : [];
      return kept.length > 0 ? [[event, kept]] : [];
    }),
  );

const oursIn = (value: Table): Table => filtered(value, isOurs);

const othersIn = ({ hooks, ...rest }: Table): Table => ({
  ...rest,
  hooks: filtered({ hooks }, (group) => !isOurs(group)),
});

function withoutOurs(text: string, event: string, list: unknown): string {
  if (!Array.isArray(list)) return text;
  // From the end, so that places stay the same.
  const places = list.flatMap((group, index) => (isOurs(group) ? [index] : [])).toReversed();
  if (places.length < list.length)
    return places.reduce(
      (edited, index) => removeProperty(edited, nodeAt(edited, ['hooks', event, index])),
      text,
    );
  if (places.length === 0) return text;
  const edited = removeProperty(text, nodeAt(text, ['hooks', event])?.parent);
  const hooks = nodeAt(edited, ['hooks']);
  return hooks?.children?.length === 0 ? removeProperty(edited, hooks.parent) : edited;
}

function withGroup(text: string, event: string, group: HookGroup): string {
  const list = nodeAt(text, ['hooks', event]);
  if (list?.type === 'array') return insertElement(text, list, group);
  const hooks = nodeAt(text, ['hooks']);
  if (hooks) return insertProperty(text, hooks, event, [group]);
  const root = nodeAt(text, []);
  return root ? insertProperty(text, root, 'hooks', { [event]: [group] }) : text;
}

export function nodeAt(text: string, path: Array<string | number>): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, path);
}
