import type { ConfigText } from './text.ts';

/** Each kind of file brings its own parser, loaded when there is such a file. */
export async function readConfigText(fileName: string, text: string): Promise<ConfigText> {
  if (/\.ya?ml$/i.test(fileName)) return (await import('./yaml-text.ts')).yamlText(text);
  return (await import('./json-text.ts')).jsonText(text);
}
