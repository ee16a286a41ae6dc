/** A text that must not appear in messages or logs, and its replacement. */
export interface Secret {
  value: string;
  shown: string;
}

const MASK = '***';
/** Shorter texts are not secret and would match in any message. */
const SHORTEST_SECRET = 6;

/**
 * The address of a backend for clients and logs: as written in the file, variables unexpanded, credentials masked. Any
 * query value may be a credential. URLs with backslashes or without slashes are handled too.
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

/** A variable may be shown: its name is not secret. */
function withMaskedValue(pair: string): string {
  const value = pair.slice(pair.indexOf('=') + 1);
  if (value === '' || /^\$\{\w+\}$/.test(value)) return pair;
  return pair.slice(0, pair.length - value.length) + MASK;
}

/** Secrets in the URL and the variables of a backend. */
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
  // Also as written, since the encoding may differ from ours.
  ...search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1)),
];

/** Removes the secrets of a backend from a message. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  let shown = text;
  for (const { value, shown: instead } of secrets) shown = shown.replaceAll(value, () => instead);
  return shown.replaceAll(/:\/\/[^/\s@]*@/g, `://${MASK}@`);
}
