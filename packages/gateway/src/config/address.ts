/** A text that clients and logs must not see, and what they see in its place. */
export interface Secret {
  value: string;
  shown: string;
}

const MASK = '***';
/** Shorter texts are no secrets, and would be found in any message. */
const SHORTEST_SECRET = 6;

/**
 * The address of a backend as clients and logs see it: as it is written in the file, with its variables, and without
 * credentials. Any value of a query may be one. A URL may be written with backslashes, or without slashes at all.
 */
export function shownAddress(written: string): string {
  const [, start = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(written) ?? [];
  const masked = query.slice(1).split('&').map(withMaskedValue).join('&');
  return [
    start.replace(/^([a-z]+:[\\/]*)[^\\/]*@/is, `$1${MASK}@`),
    query && `?${masked}`,
    fragment && `#${MASK}`,
  ].join('');
}

/** A variable alone may be seen: its name is no secret. */
function withMaskedValue(pair: string): string {
  const value = pair.slice(pair.indexOf('=') + 1);
  if (value === '' || /^\$\{\w+\}$/.test(value)) return pair;
  return pair.slice(0, pair.length - value.length) + MASK;
}

/** What the URL of a backend and its variables hold that messages about it must not show. */
export function secretsOf(
  { url, address }: { url: string | undefined; address: string },
  variables: ReadonlyMap<string, string | undefined>,
): Secret[] {
  const found: Secret[] = [...variables].map(([name, value = '']) => ({ value, shown: `\${${name}}` }));
  if (url !== undefined) {
    found.push({ value: url, shown: address });
    const parsed = URL.parse(url);
    for (const value of parsed ? credentialsIn(parsed) : []) found.push({ value, shown: MASK });
  }
  return found
    .flatMap((secret) => [secret, { ...secret, value: encodeURIComponent(secret.value.toWellFormed()) }])
    .filter(({ value }) => value.length >= SHORTEST_SECRET)
    .sort((one, other) => other.value.length - one.value.length);
}

const credentialsIn = ({ username, password, search, searchParams }: URL): string[] => [
  username,
  password,
  ...searchParams.values(),
  // As they are written, which may be another encoding than ours.
  ...search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1)),
];

/** A message about a backend, without its secrets. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  let shown = text;
  for (const { value, shown: instead } of secrets) shown = shown.replaceAll(value, () => instead);
  return shown.replaceAll(/:\/\/[^/\s@]*@/g, `://${MASK}@`);
}
