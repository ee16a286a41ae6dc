/** The arguments of a tool, from the words after its name: a JSON object, or plain words as its schema takes them. */
export function argumentsOf(words: string, schema: object | undefined): Record<string, unknown> {
  if (words === '') return {};
  const object = words.startsWith('{') ? parseJson(words) : undefined;
  if (isObject(object)) return object;
  const { properties, required } = partsOf(schema);
  return required.length === 0 ? { query: words } : fill(words, required, properties);
}

/** One word for each required property, in order; the last one takes the rest. */
function fill(
  words: string,
  required: readonly string[],
  properties: Record<string, unknown>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  let rest = words;
  for (const [index, name] of required.entries()) {
    if (rest === '') break;
    const end = index === required.length - 1 ? rest.length : endOfWord(rest);
    values[name] = typed(rest.slice(0, end), properties[name]);
    rest = rest.slice(end).trimStart();
  }
  return values;
}

const endOfWord = (text: string): number => text.search(/\s|$/);

/** The word converted to the schema's type, or left as text so that the tool can report the error. */
function typed(word: string, schema: unknown): unknown {
  const { type } = isObject(schema) ? schema : {};
  if (type === undefined)
    return word.startsWith('{') || word.startsWith('[') ? (parseJson(word) ?? word) : word;
  if (type === 'string') return word;
  const value = parseJson(word);
  return value === undefined ? word : value;
}

function partsOf(schema: object | undefined): { properties: Record<string, unknown>; required: string[] } {
  const { properties, required }: { properties?: unknown; required?: unknown } = schema ?? {};
  return {
    properties: isObject(properties) ? properties : {},
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
