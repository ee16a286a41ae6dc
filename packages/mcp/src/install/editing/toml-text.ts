import { parse, TomlError } from 'smol-toml';
import { type ConfigFormat, type ConfigValue, type Entry, isTable, type Table } from './config-format.ts';

/**
 * TOML, by the line: an entry is the section `[servers.name]` with the sections below it. Entries written in another
 * form (inline tables, dotted keys) are left alone; the caller sees that nothing changed.
 */
export const toml: ConfigFormat = {
  parse(text) {
    try {
      // Whole numbers beyond 2^53 exist in TOML.
      return { value: parse(text, { integersAsBigInt: 'asNeeded' }) as Table };
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [, problem = error.message] = /^Invalid TOML document: (.*)/.exec(error.message) ?? [];
      return { problem, line: error.line, column: error.column };
    }
  },

  set(text, servers, name, entry) {
    const lines = linesOf(text);
    const sections = sectionsOf(lines, [servers, name]);
    const main = sections.find(({ path }) => path.length === 2);
    if (!main) return append(text, servers, name, entry);
    // From the end of the file to its start, so that the positions of the sections stay true.
    for (const section of sections.toReversed()) {
      const [, , table, ...deeper] = section.path;
      if (table === undefined) setFields(lines, section, withoutSections(entry, sections));
      const values = table === undefined ? undefined : entry[table];
      if (deeper.length === 0 && isTable(values)) setFields(lines, section, values as Entry);
    }
    return lines.join('');
  },

  remove(text, servers, name) {
    const lines = linesOf(text);
    for (const { start, end } of sectionsOf(lines, [servers, name]).toReversed()) {
      const from = start > 0 && isBlank(lines[start - 1]) ? start - 1 : start;
      lines.splice(from, end - from);
    }
    return lines.join('');
  },
};

/** A section without the comments and blank lines at its end: those belong to the next section. */
interface Section {
  path: string[];
  start: number;
  end: number;
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const isBlank = (line: string | undefined) => line?.trim() === '';
const isBlankOrComment = (line: string | undefined) => /^\s*(#|$)/.test(line ?? '');

function sectionsOf(lines: string[], prefix: string[]): Section[] {
  const headers = lines.flatMap((line, start) =>
    /^\s*\[/.test(line) ? [{ start, path: headerPath(line) }] : [],
  );
  const sections = headers.map(({ start, path }, index): Section => {
    let end = headers[index + 1]?.start ?? lines.length;
    while (end > start + 1 && isBlankOrComment(lines[end - 1])) end--;
    return { path: path ?? [], start, end };
  });
  return sections.filter(({ path }) => prefix.every((key, depth) => path[depth] === key));
}

/** The keys of `[a."b c".d]`; undefined for a line that only looks like a header. */
function headerPath(line: string): string[] | undefined {
  const path: string[] = [];
  let table = parsed(line);
  while (isTable(table)) {
    const [key] = Object.keys(table);
    if (key === undefined) return path;
    path.push(key);
    table = table[key];
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

/** The fields without their own section. */
const withoutSections = (entry: Entry, sections: Section[]): Entry =>
  Object.fromEntries(
    Object.entries(entry).filter(
      ([key]) => !sections.some(({ path }) => path.length === 3 && path[2] === key),
    ),
  );

function setFields(lines: string[], section: Section, fields: Entry): void {
  const eol = lines[section.start]?.endsWith('\r\n') ? '\r\n' : '\n';
  let { end } = section;
  for (const [key, value] of Object.entries(fields)) {
    const found = findStatement(lines, section.start + 1, end, key);
    const merged = isTable(value) && isTable(found?.value) ? { ...found.value, ...value } : value;
    const line = `${statement(key, merged as ConfigValue)}${found?.comment ?? ''}${eol}`;
    if (!found && !lines[end - 1]?.endsWith('\n')) lines[end - 1] += eol;
    lines.splice(found?.start ?? end, found ? found.end - found.start : 0, line);
    end += found ? 1 - (found.end - found.start) : 1;
  }
}

/** The lines from `key =` on that make a whole statement, and the comment behind it. */
function findStatement(lines: string[], from: number, to: number, key: string) {
  for (let start = from; start < to; start++) {
    if (isBlankOrComment(lines[start])) continue;
    let end = start + 1;
    let table = parsed(lines.slice(start, end).join(''));
    while (!isTable(table) && end < to) table = parsed(lines.slice(start, ++end).join(''));
    if (isTable(table) && Object.hasOwn(table, key)) {
      return {
        start,
        end,
        value: table[key],
        comment: commentOf(lines.slice(start, end).join('').trimEnd()),
      };
    }
    start = end - 1;
  }
  return undefined;
}

/** A `#` starts a comment if the text before it parses; inside a string it does not. */
function commentOf(text: string): string {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    if (isTable(parsed(text.slice(0, at)))) return ` ${text.slice(at)}`;
  }
  return '';
}

function append(text: string, servers: string, name: string, entry: Entry): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  const fields = Object.entries(entry).map(([key, value]) => statement(key, value));
  return text + gap + [`[${servers}.${bareOrQuoted(name)}]`, ...fields, ''].join(eol);
}

const statement = (key: string, value: ConfigValue) => `${bareOrQuoted(key)} = ${literal(value)}`;
const bareOrQuoted = (key: string) => (/^[\w-]+$/.test(key) ? key : literal(key));

function literal(value: ConfigValue): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007F', '\\u007F');
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, text]) => statement(key, text as ConfigValue));
  return `{ ${pairs.join(', ')} }`;
}
