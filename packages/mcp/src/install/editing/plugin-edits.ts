import { isDeepStrictEqual } from 'node:util';
import { RelayError } from '@agent-relay/protocol';
import type { HookStart } from '../hook-command.ts';
import type { Table } from './config-format.ts';
import { type HookEdit, nodeAt, parsed } from './hook-edits.ts';
import { insertElement, insertProperty, removeProperty } from './json-edits.ts';

/** Part of the path of the relay's plugin, to find it again. */
export const PLUGIN_MARK = 'opencode-installed-plugin.js';

/** Adds the relay's plugin after the existing ones; without a start, removes it. */
export function withPlugin(file: string, text: string, start?: HookStart): HookEdit {
  const before = pluginsIn(parsed(file, text));
  const old = before.filter(isOurs);
  const now = start ? [entryOf(start)] : [];
  const change = { old: shown(old), now: shown(now) };
  if (isDeepStrictEqual(old, now)) return { text, ...change };
  let edited = text.trim() === '' ? '{}\n' : text;
  for (const index of before.flatMap((one, at) => (isOurs(one) ? [at] : [])).toReversed())
    edited = removeProperty(edited, nodeAt(edited, ['plugin', index]));
  for (const entry of now) edited = withEntry(edited, entry);
  const list = nodeAt(edited, ['plugin']);
  if (list?.children?.length === 0 && before.length > 0) edited = removeProperty(edited, list.parent);
  const after = pluginsIn(parsed(file, edited));
  const others = (plugins: unknown[]) => plugins.filter((one) => !isOurs(one));
  if (isDeepStrictEqual(after, [...others(before), ...now])) return { text: edited, ...change };
  throw new RelayError(
    'InvalidClientConfig',
    `${file} writes "plugin" in a form that cannot be edited safely.`,
    {
      next: 'Edit the plugins by hand; docs/clients.md shows them.',
    },
  );
}

const entryOf = ({ plugin, program, client, env }: HookStart): unknown => [
  plugin,
  { command: [process.execPath, ...program, client], env },
];

function withEntry(text: string, entry: unknown): string {
  const list = nodeAt(text, ['plugin']);
  if (list?.type === 'array') return insertElement(text, list, entry);
  const root = nodeAt(text, []);
  return root ? insertProperty(text, root, 'plugin', [entry]) : text;
}

const pluginsIn = ({ plugin }: Table): unknown[] => (Array.isArray(plugin) ? plugin : []);

const isOurs = (plugin: unknown): boolean => Array.isArray(plugin) && String(plugin[0]).includes(PLUGIN_MARK);

const shown = (plugin: unknown[]): Table | undefined => (plugin.length > 0 ? { plugin } : undefined);
