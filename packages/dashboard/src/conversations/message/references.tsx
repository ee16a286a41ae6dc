import { MAX_NAME_LENGTH, nameKey } from '@agent-relay/protocol';
import { computed } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { welcome } from '../../connection/connection.ts';
import { agents, channels } from '../../model/project.ts';
import { linkTo } from '../../routes.ts';

/** A name after `@`, a channel after `#`, at the beginning of a word. */
const REFERENCE = new RegExp(
  String.raw`(?<![\w@#/&])([@#])([\p{L}\p{N}][\p{L}\p{N}_.-]{0,${MAX_NAME_LENGTH - 1}})`,
  'gu',
);

/** What can be written after `@` and `#`, in lower case, and the name that is meant. An agent may have a handle. */
const named = computed(() => {
  const all = [...agents.value.values()];
  return {
    '@': new Map([
      ...all.flatMap(
        ({ name, handle }): Array<[string, string]> => (handle ? [[nameKey(handle), name]] : []),
      ),
      ...all.map(({ name }): [string, string] => [nameKey(name), name]),
    ]),
    '#': new Map(channels.value.map(({ name }): [string, string] => [nameKey(name.slice(1)), name.slice(1)])),
  };
});

/** The text with links to the agents and channels that it names. */
export function withReferences(text: string): ComponentChild[] {
  const found: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const sign = match[1] as '@' | '#';
    const word = match[2] ?? '';
    const names = named.peek()[sign];
    // A full stop ends the sentence more often than the name.
    const written = [word, word.replace(/[.-]+$/, '')].find((one) => names.has(nameKey(one)));
    if (written === undefined) continue;
    const name = names.get(nameKey(written)) ?? written;
    found.push(text.slice(end, match.index), <Reference sign={sign} name={name} written={written} />);
    end = match.index + sign.length + written.length;
  }
  return [...found, text.slice(end)];
}

function Reference({ sign, name, written }: { sign: '@' | '#'; name: string; written: string }) {
  const { project = '', agent } = welcome.value ?? {};
  return (
    <a
      class={sign === '@' && name === agent?.name ? 'reference is-me' : 'reference'}
      href={linkTo(project, sign === '@' ? 'agent' : 'channel', name)}
    >
      {sign}
      {written}
    </a>
  );
}
