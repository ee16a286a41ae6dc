const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** How a variable starts in a file. Input from elsewhere must not contain it. */
export const VARIABLE_START = '${';

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string of a value and records each name and its value in `used`. A
 * name that is not set becomes empty; only the backend that needs it fails.
 */
export function expandVariables<T>(
  value: T,
  env: NodeJS.ProcessEnv,
  used: Map<string, string | undefined>,
): T {
  const expand = (part: unknown): unknown => {
    if (typeof part === 'string') {
      return part.replace(VARIABLE, (_whole, name: string, fallback: string | undefined) => {
        const found = env[name] ?? fallback;
        used.set(name, found);
        return found ?? '';
      });
    }
    if (Array.isArray(part)) return part.map(expand);
    if (part !== null && typeof part === 'object') {
      return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, expand(inner)]));
    }
    return part;
  };
  return expand(value) as T;
}
