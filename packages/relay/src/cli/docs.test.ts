import { readFileSync } from 'node:fs';
import { ERRORS } from '@agent-relay/protocol';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram, everyCommand, SHORT_FORMS } from './program.ts';

const text = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8');

/** The text below each `###` heading, up to the next heading. */
const sections = new Map(
  text
    .split(/^(?=#{2,3} )/m)
    .filter((section) => section.startsWith('### '))
    .map((section) => [section.slice(4, section.indexOf('\n')), section]),
);

const commands = new Map<string, Command>();
const program = await buildProgram([]);
everyCommand(program, (command) => {
  // It is described where its long form is.
  if (command.parent === program && Object.hasOwn(SHORT_FORMS, command.name())) return;
  // One that has commands below it is a command itself if it takes options.
  const isRunnable = command.commands.length === 0 || (command.parent && command.options.length > 0);
  if (isRunnable) commands.set(pathOf(command), command);
});

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

describe('docs/cli.md', () => {
  it('has a section for each command, and for nothing else', () => {
    expect([...sections.keys()].sort()).toEqual([...commands.keys()].sort());
  });

  it.each(Object.keys(SHORT_FORMS))('names the short form of daemon %s', (name) => {
    expect(sections.get(`agent-relay daemon ${name}`)).toContain(`\`agent-relay ${name}\``);
  });

  it.each([...commands])('names every argument and option of %s, and no others', (path, command) => {
    const section = sections.get(path) ?? '';
    for (const argument of command.registeredArguments) expect(section).toContain(argument.name());
    const flags = command.options.filter((option) => !option.hidden).map((option) => option.flags);
    for (const flag of flags) expect(section).toContain(`\`${flag}\``);
    const mentioned = [...section.matchAll(/`(?:-\w, )?(--[a-z-]+)/g)].map(([, name]) => name);
    const known = command.options.map((option) => option.long);
    expect(mentioned.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('explains each exit code', () => {
    const codes = new Set(Object.values(ERRORS).map(({ exit }) => exit));
    for (const code of codes) expect(text).toContain(`\n| ${code} | `);
  });
});
